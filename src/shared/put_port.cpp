// SPDX-License-Identifier: Apache-2.0
#include "shared/put_port.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>

namespace roundelay::shared {

namespace {

constexpr std::uint32_t slots = PutLayout::slots;

// One after the other: a word that differs makes all that follows differ.
constexpr std::uint64_t mixed(std::uint64_t so_far, std::uint64_t word) noexcept {
  const std::uint64_t product = (so_far ^ word) * 0x9e3779b97f4a7c15U;
  return product ^ product >> 32U;
}

std::uint64_t word_at(const std::byte* where) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, where, sizeof word);
  return word;
}

const std::byte* bytes_of(const PieceHead& head) noexcept {
  return reinterpret_cast<const std::byte*>(&head + 1);
}

}  // namespace

// Four words at a time, which a core does at once.
std::uint64_t check_of(const PieceHead& head, std::span<const std::byte> bytes) noexcept {
  std::array<std::uint64_t, 4> lanes{
      head.sequence, head.length, head.tag,
      std::uint64_t{head.last} << 8U | std::uint64_t{head.wants_receipt}};
  constexpr std::size_t block = sizeof lanes;
  for (; bytes.size() >= block; bytes = bytes.subspan(block)) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      lanes[i] = mixed(lanes[i], word_at(bytes.data() + i * sizeof(std::uint64_t)));
    }
  }
  std::array<std::byte, block> rest{};
  std::ranges::copy(bytes, rest.begin());
  std::uint64_t check = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    check = mixed(check, mixed(lanes[i], word_at(rest.data() + i * sizeof(std::uint64_t))));
  }
  return check;
}

PutPort::PutPort(PutLayout layout, std::byte* area, std::byte* outbox, int rank, Wire& wire)
    : layout_(layout),
      area_(area),
      outbox_(outbox),
      rank_(rank),
      wire_(wire),
      pairs_(layout.ranks()) {}

void PutPort::start(Message& message) {
  Pair& with = pairs_[message.peer];
  pairs_.activate(message.peer);
  if (message.sends) {
    with.to_write.push_back(&message);
    write_pieces(message.peer);
  } else {
    with.receives.start(message);
  }
}

bool PutPort::progress() {
  const std::uint64_t before = moves_;
  wire_.progress();
  pairs_.progress([this](int peer) { progress(peer); });
  return moves_ != before;
}

void PutPort::progress(int peer) {
  Pair& with = pairs_[peer];
  if (!with.to_write.empty() || !with.to_be_taken.empty()) {
    look_what_was_taken(peer);
    write_pieces(peer);
  }
  take_pieces(peer);
}

void PutPort::withdraw(Message& message) noexcept {
  Pair& with = pairs_[message.peer];
  std::erase(with.to_write, &message);
  std::erase_if(with.to_be_taken,
                [&](const Pair::Written& written) { return written.message == &message; });
  with.receives.withdraw(message);
  spoiled_ = true;
}

bool PutPort::put(int to, Tag tag, const std::byte* data, std::size_t bytes) noexcept {
  if (bytes > layout_.room() || !pairs_[to].to_write.empty() || !slot_is_free(to)) return false;
  if (bytes > 0) std::memcpy(next_in_outbox(to), data, bytes);
  return write_piece(to, {.length = static_cast<std::uint32_t>(bytes), .tag = tag, .last = 1});
}

Carrier::Found PutPort::take(int from, Tag tag, std::byte* into, std::size_t room) noexcept {
  const Pair& with = pairs_[from];
  if (!with.receives.idle() || with.receives.any_aside()) return Found::otherwise;
  const PieceHead* const head = arrived(from);
  if (head == nullptr) return Found::nothing;
  if (head->tag != tag || head->last == 0 || head->length > room) return Found::otherwise;
  if (head->length > 0) std::memcpy(into, bytes_of(*head), head->length);
  give_back(from, *head);
  return Found::taken;
}

void PutPort::write_pieces(int peer) {
  Pair& with = pairs_[peer];
  while (!with.to_write.empty()) {
    if (with.broken) {
      break_off(peer);
      return;
    }
    if (!slot_is_free(peer)) return;
    Message& message = *with.to_write.front();
    const std::size_t left = message.left();
    const std::size_t length =
        left <= layout_.room() ? left : whole_grains(layout_.room(), message.grain);
    const bool last = length == left;
    const bool waits = last && message.waits_for_receiver;
    message.give(next_in_outbox(peer), length);
    if (!write_piece(peer, {.length = static_cast<std::uint32_t>(length),
                            .tag = message.tag,
                            .last = std::uint8_t{last},
                            .wants_receipt = std::uint8_t{waits}})) {
      continue;
    }
    if (waits) with.to_be_taken.push_back({&message, with.sent});
    if (!last) continue;
    message.done = !waits;
    with.to_write.pop_front();
  }
}

// Its bytes are in the outbox. Returns whether it is under way; if not, the pair is broken.
bool PutPort::write_piece(int peer, PieceHead head) noexcept {
  Pair& with = pairs_[peer];
  std::byte* const bytes = next_in_outbox(peer);
  head.sequence = with.sent + 1;
  head.check = check_of(head, {bytes, head.length});
  std::byte* const piece = bytes - sizeof head;
  std::memcpy(piece, &head, sizeof head);
  with.broken = !wire_.put(peer, layout_.slot_at(rank_, head.sequence),
                           {piece, sizeof head + head.length}, head.sequence % slots);
  if (with.broken) return false;
  ++with.sent;
  ++moves_;
  ++counters_.puts;
  counters_.bytes += head.length;
  return true;
}

bool PutPort::slot_is_free(int peer) noexcept {
  const Pair& with = pairs_[peer];
  if (with.sent - with.taken == slots) look_what_was_taken(peer);
  return !with.broken && with.sent - with.taken != slots &&
         wire_.is_free(peer, (with.sent + 1) % slots);
}

// Where the bytes of the next piece are to be.
std::byte* PutPort::next_in_outbox(int peer) noexcept {
  return outbox_ + layout_.slot_at(peer, pairs_[peer].sent + 1) + sizeof(PieceHead);
}

void PutPort::look_what_was_taken(int peer) noexcept {
  Pair& with = pairs_[peer];
  auto& number = *reinterpret_cast<std::uint64_t*>(area_ + PutLayout::taken_at(peer));
  const auto taken = static_cast<std::uint32_t>(
      std::atomic_ref<std::uint64_t>(number).load(std::memory_order_acquire));
  moves_ += taken - with.taken;
  with.taken = taken;
  std::erase_if(with.to_be_taken, [taken](const Pair::Written& written) {
    written.message->done = reached(taken, written.last_piece);
    return written.message->done;
  });
}

// What was to be sent there has failed.
void PutPort::break_off(int peer) noexcept {
  Pair& with = pairs_[peer];
  for (Message* message : with.to_write) message->failed = message->done = true;
  for (const Pair::Written& written : with.to_be_taken) {
    written.message->failed = written.message->done = true;
  }
  with.to_write.clear();
  with.to_be_taken.clear();
  spoiled_ = true;
}

// The next piece, if all of it is there.
const PieceHead* PutPort::arrived(int from) noexcept {
  const std::uint32_t next = pairs_[from].received + 1;
  auto& head = *reinterpret_cast<PieceHead*>(area_ + layout_.slot_at(from, next));
  const std::uint32_t sequence =
      std::atomic_ref<std::uint32_t>(head.sequence).load(std::memory_order_acquire);
  if (sequence != next || head.length > layout_.room() ||
      head.check != check_of(head, {bytes_of(head), head.length})) {
    return nullptr;
  }
  return &head;
}

void PutPort::take_pieces(int peer) {
  Pair& with = pairs_[peer];
  while (!with.receives.idle()) {
    const PieceHead* const head = arrived(peer);
    if (head == nullptr) return;
    const std::span bytes(bytes_of(*head), head->length);
    if (Message* const message = with.receives.next(head->tag); message == nullptr) {
      Receives::Piece& piece = with.receives.empty_piece();
      piece.tag = head->tag;
      piece.last = head->last != 0;
      piece.bytes.assign(bytes.begin(), bytes.end());
      with.receives.put_aside();
    } else {
      message->take(bytes.data(), bytes.size());
      if (head->last != 0) with.receives.finish(*message);
    }
    give_back(peer, *head);
  }
}

// The number must stay in memory until its put is complete. That wait is short: at most `slots`
// pieces are outstanding.
void PutPort::give_back(int peer, const PieceHead& head) noexcept {
  Pair& with = pairs_[peer];
  counters_.bytes += head.length;
  ++moves_;
  ++with.received;
  if (head.wants_receipt == 0 && with.received - with.told < slots / 2) return;
  with.told = with.received;
  const std::size_t place = with.tellings++ % slots;
  const std::size_t ticket = slots + place;
  while (!wire_.is_free(peer, ticket)) wire_.progress();
  with.numbers[place] = with.told;
  if (!wire_.tell(peer, PutLayout::taken_at(rank_), with.numbers[place], ticket)) {
    with.broken = true;
  }
  ++counters_.numbers;
}

void PutPort::sleep(std::uint32_t /*heard*/, long /*at_most*/) noexcept {
  const timespec moment{0, short_sleep};
  nanosleep(&moment, nullptr);
}

}  // namespace roundelay::shared
