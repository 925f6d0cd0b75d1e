// SPDX-License-Identifier: Apache-2.0
#include "mpi/shared_transport.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mpi/progress_until.hpp"
#include "mpi/waiting.hpp"
#include "shared/layout.hpp"

namespace roundelay::mpi {

namespace {

// Of a pair, whose messages are of elements in a row.
std::size_t bytes_of(Slice slice, const Memory& memory) noexcept {
  return static_cast<std::size_t>(slice.length() * memory.type.size);
}

// How many pairs expose the block of the first one, which is one of them.
std::size_t readers_of_first(std::span<const SendReceivePair> round) noexcept {
  const auto is_another = [&first = round.front()](const SendReceivePair& pair) {
    return !first.exposed || !pair.exposed || pair.to == SendReceivePair::nobody ||
           pair.sent != first.sent;
  };
  const auto rest = round.subspan(1);
  return 1 + static_cast<std::size_t>(std::ranges::find_if(rest, is_another) - rest.begin());
}

}  // namespace

void SharedTransport::Slot::begin(TransferUnderWay& whose, const Memory& of) noexcept {
  one = &whose;
  memory = &of;
  const Transfer& transfer = whose.transfer;
  slice_ = transfer.data.begin();
  in_slice_ = 0;
  combined_bytes_ = 0;
  left_ = static_cast<std::size_t>(transfer.data.length() * of.type.size);
  grain = static_cast<std::size_t>(std::max(of.type.size, std::int64_t{1}));
  done = failed = false;
  error = MPI_SUCCESS;
}

// What follows in memory.
std::span<std::byte> SharedTransport::Slot::row() const noexcept {
  if (staged) return {staging.memory() + in_slice_, left_};
  if (left_ == 0) return {};
  const auto length = static_cast<std::size_t>(slice_->length() * memory->type.size);
  std::byte* const begin = sends ? memory->at_source(*slice_) : memory->at(*slice_);
  return {begin + in_slice_, length - in_slice_};
}

void SharedTransport::Slot::skip(std::size_t size) {
  in_slice_ += size;
  left_ -= size;
  if (staged || left_ == 0) return;
  if (in_slice_ == static_cast<std::size_t>(slice_->length() * memory->type.size)) {
    ++slice_;
    in_slice_ = 0;
  }
}

void SharedTransport::Slot::give(std::byte* to, std::size_t size) {
  while (size > 0) {
    const auto part = row().first(std::min(size, row().size()));
    std::memcpy(to, part.data(), part.size());
    to += part.size();
    size -= part.size();
    skip(part.size());
  }
}

std::span<std::byte> SharedTransport::Slot::room() {
  return combines_as_it_comes() ? std::span<std::byte>() : row();
}

void SharedTransport::Slot::take(const std::byte* from, std::size_t size) {
  if (size > left_) {
    error = MPI_ERR_TRUNCATE;
    size = left_;
  }
  if (size > 0 && combines_as_it_comes() && are_elements(from, size) && cuts_no_vector(size)) {
    combine(from, size);
    return;
  }
  while (size > 0) {
    const auto part = row().first(std::min(size, row().size()));
    std::memcpy(part.data(), from, part.size());
    from += part.size();
    size -= part.size();
    skip(part.size());
  }
}

// Whether the next bytes, at an address for any type, are the next elements, none of them cut.
bool SharedTransport::Slot::are_elements(const std::byte* from, std::size_t size) const noexcept {
  const auto element = static_cast<std::size_t>(memory->type.size);
  return reinterpret_cast<std::uintptr_t>(from) % alignof(std::max_align_t) == 0 &&
         size % element == 0 && in_slice_ == combined_bytes_;
}

// Whether the piece gets the bits that it would get as a part of the whole, as on other ranks. A
// loop that is not ours may treat the elements that fill no vector otherwise: Open MPI 4.1.4 takes
// -0.0 for the larger of two zeros in some places and not in others.
bool SharedTransport::Slot::cuts_no_vector(std::size_t size) const noexcept {
  constexpr std::size_t of_vectors = 4096;
  return memory->loop != nullptr ||
         (in_slice_ % of_vectors == 0 && (size % of_vectors == 0 || size == left_));
}

// Its elements are in the slice.
LocalStep SharedTransport::Slot::left_to_combine() const noexcept {
  LocalStep step = *one->combine;
  const Units done =
      combined_bytes_ > 0 ? static_cast<Units>(combined_bytes_) / memory->type.size : 0;
  step.from = step.from.part(done, step.from.length() - done);
  step.into = step.into.part(done, step.into.length() - done);
  return step;
}

void SharedTransport::Slot::combine(const std::byte* from, std::size_t size) noexcept {
  const Slice into = one->combine->into;
  const auto done = static_cast<Units>(in_slice_) / memory->type.size;
  const auto count = static_cast<Units>(size) / memory->type.size;
  const int failed = combine_elements(memory->at(into.part(done, count)), from, count, *memory);
  if (error == MPI_SUCCESS) error = failed;
  skip(size);
  combined_bytes_ = in_slice_;
}

int SharedTransport::start(TransferUnderWay& one, Channel channel, Discipline discipline) {
  one.slot = slots_.take();
  Slot& slot = slots_[one.slot];
  slot.sends = one.transfer.sends();
  slot.peer = number_of(one.transfer.peer);
  slot.tag = static_cast<shared::Tag>(tag(channel));
  slot.waits_for_receiver = discipline == Discipline::paced;
  slot.staged = false;
  slot.block = block_of(one);
  slot.begin(one, memory(channel));
  if (!slot.memory->type.contiguous && slot.left() > 0) {
    if (const int error = stage(slot); error != MPI_SUCCESS) return error;
  }
  port().start(slot);
  return MPI_SUCCESS;
}

// What it has in common with other exposures, or nullptr.
shared::Block* SharedTransport::block_of(const TransferUnderWay& one) {
  if (one.first_of_block == nullptr || one.first_of_block->readers == 1) return nullptr;
  if (!port().shares_blocks()) return nullptr;
  TransferUnderWay& first = *one.first_of_block;
  if (first.block == TransferUnderWay::nowhere) {
    first.block = blocks_.take();
    blocks_[first.block].begin(first.readers);
  }
  return &blocks_[first.block];
}

void SharedTransport::give_back_if_over(const TransferUnderWay& one) noexcept {
  TransferUnderWay* const first = one.first_of_block;
  if (first == nullptr || first->block == TransferUnderWay::nowhere) return;
  if (blocks_[first->block].over()) {
    blocks_.give_back(std::exchange(first->block, TransferUnderWay::nowhere));
  }
}

void SharedTransport::leave_out(TransferUnderWay& exposure) {
  shared::Block* const block = block_of(exposure);
  if (block == nullptr) return;
  port().leave_out_one(*block);
  give_back_if_over(exposure);
}

// Elements with gaps go packed, so that no rank's layout shows in what it sends.
int SharedTransport::stage(Slot& slot) {
  const auto bytes = static_cast<std::int64_t>(slot.left());
  any_staging_ = true;
  std::byte* packed = slot.staging.get(bytes, scratch());
  slot.staged = true;
  if (!slot.sends) return MPI_SUCCESS;
  for (const Slice slice : slot.one->transfer.data) {
    const Datatype& type = slot.memory->type;
    const int error = pack(packed, slot.memory->at(slice), slice.length(), type);
    if (error != MPI_SUCCESS) return error;
    packed += slice.length() * type.size;
  }
  return MPI_SUCCESS;
}

int SharedTransport::unstage(const Slot& slot) {
  const std::byte* packed = slot.staging.memory();
  for (const Slice slice : slot.one->transfer.data) {
    const Datatype& type = slot.memory->type;
    const int error = unpack(slot.memory->at(slice), packed, slice.length(), type);
    if (error != MPI_SUCCESS) return error;
    packed += slice.length() * type.size;
  }
  return MPI_SUCCESS;
}

int SharedTransport::wait(std::span<TransferUnderWay* const> some, Until until) {
  const auto is_done = [this](const TransferUnderWay* one) { return slots_[one->slot].done; };
  const auto enough = [&] {
    return until == Until::one ? std::ranges::any_of(some, is_done)
                               : std::ranges::all_of(some, is_done);
  };
  while (port().progress() && until == Until::now) {  // what came free lets others go on
  }
  if (until != Until::now) progress_until(port(), messages().comm, enough);
  int error = MPI_SUCCESS;
  for (TransferUnderWay* one : some) {
    if (!is_done(one)) continue;
    const int failed = finish(*one);
    if (error == MPI_SUCCESS) error = failed;
  }
  return error;
}

int SharedTransport::finish(TransferUnderWay& one) {
  const Slot& slot = slots_[one.slot];
  slots_.give_back(std::exchange(one.slot, TransferUnderWay::nowhere));
  one.done = true;
  // The block of other exposures may be another transport's, that of ranks on this node.
  if (slot.block != nullptr) give_back_if_over(one);
  if (slot.failed) return MPI_ERR_OTHER;
  if (slot.error != MPI_SUCCESS || slot.sends) return slot.error;
  if (slot.staged) {
    if (const int error = unstage(slot); error != MPI_SUCCESS) return error;
  }
  return one.combine.has_value() ? do_step(slot.left_to_combine(), *slot.memory) : MPI_SUCCESS;
}

void SharedTransport::abandon() noexcept {
  if (carrier_ == nullptr) return;
  for (Slot& slot : slots_.all()) {
    if (!slot.done) port().withdraw(slot);
    slot.done = true;
  }
  slots_.give_all_back();
  for (shared::Block& block : blocks_.all()) port().withdraw(block);
  blocks_.give_all_back();
}

void SharedTransport::forget_staging() noexcept {
  if (!std::exchange(any_staging_, false)) return;
  for (Slot& slot : slots_.all()) slot.staging.forget();
}

bool SharedTransport::put(const SendReceivePair& pair) noexcept {
  const Memory& own = memory(Channel::first);
  return own.type.contiguous &&
         port().put(number_of(pair.to), static_cast<shared::Tag>(tag(Channel::first)),
                    own.at_source(pair.sent), bytes_of(pair.sent, own));
}

shared::Carrier::Found SharedTransport::take(const SendReceivePair& pair) noexcept {
  const Memory& own = memory(Channel::first);
  return port().take(number_of(pair.from), static_cast<shared::Tag>(tag(Channel::first)),
                     own.at(pair.received), bytes_of(pair.received, own));
}

// A message that goes at once needs no slot.
int SharedTransport::exchange(const SendReceivePair& pair) {
  const bool receives = pair.from != SendReceivePair::nobody;
  const bool sent = pair.to == SendReceivePair::nobody || put(pair);
  if (!sent || (receives && !may_take())) return exchange_by_transfers(*this, pair, sent);
  if (!receives) return MPI_SUCCESS;
  using Found = shared::Carrier::Found;
  Found found = Found::nothing;
  const auto any_found = [&] {
    found = take(pair);
    return found != Found::nothing;
  };
  FailedPolls looks;
  while (!any_found()) {
    port().progress();  // also of calls that are in progress meanwhile
    if (looks.one_more(messages().comm) && port().sleep_unless(any_found, looks.longest_sleep()))
      break;
  }
  return found == Found::taken ? MPI_SUCCESS : exchange_by_transfers(*this, pair, true);
}

int SharedTransport::begin(std::span<const SendReceivePair> round) {
  to_take_.clear();
  late_.clear();
  late_.reserve(2 * round.size());  // they stay where they are
  int error = MPI_SUCCESS;
  for (const SendReceivePair& pair : round) {
    if (pair.from == SendReceivePair::nobody) continue;
    if (may_take()) {
      to_take_.push_back(&pair);
    } else {
      error = start_late(recv(pair.received, pair.from));
    }
    if (error != MPI_SUCCESS) return error;
  }
  while (!round.empty()) {
    const auto of_a_block = round.first(readers_of_first(round));
    const bool sent = of_a_block.size() > 1 && put_to_all(of_a_block);
    for (const SendReceivePair& pair : of_a_block) {
      if (sent || pair.to == SendReceivePair::nobody || put(pair)) continue;
      error = start_late(send(pair.sent, pair.to));
      if (error != MPI_SUCCESS) return error;
    }
    round = round.subspan(of_a_block.size());
  }
  return error;
}

int SharedTransport::exchange(std::span<const SendReceivePair> round) {
  int error = begin(round);
  const auto enough = [&] {
    while (take_what_came(error)) {
    }
    return to_take_.empty() || error != MPI_SUCCESS;
  };
  FailedPolls looks;
  while (!to_take_.empty() && error == MPI_SUCCESS) {
    if (take_what_came(error)) {
      looks = {};
      continue;
    }
    port().progress();  // of what is late, and of calls that are in progress meanwhile
    if (looks.one_more(messages().comm) && port().sleep_unless(enough, looks.longest_sleep()))
      break;
  }
  return error != MPI_SUCCESS ? error : wait_for_late(Until::all);
}

bool SharedTransport::look(int& error) {
  while (take_what_came(error)) {
  }
  if (error == MPI_SUCCESS) error = wait_for_late(Until::now);
  return error == MPI_SUCCESS && to_take_.empty() &&
         std::ranges::all_of(late_, &TransferUnderWay::done);
}

int SharedTransport::wait_for_late(Until until) {
  std::array<TransferUnderWay*, most_waited> under_way{};
  std::size_t count = 0;
  for (TransferUnderWay& one : late_) {
    if (!one.done) under_way[count++] = &one;
  }
  return count > 0 ? wait({under_way.data(), count}, until) : static_cast<int>(MPI_SUCCESS);
}

bool SharedTransport::put_to_all(std::span<const SendReceivePair> exposures) noexcept {
  const Memory& own = memory(Channel::first);
  const Slice block = exposures.front().sent;
  if (!own.type.contiguous || bytes_of(block, own) <= shared::short_bytes) return false;
  std::array<int, SendReceivePair::most_at_once> numbers{};
  std::ranges::transform(exposures, numbers.begin(),
                         [this](const SendReceivePair& pair) { return number_of(pair.to); });
  return port().put_to_all({numbers.data(), exposures.size()},
                           static_cast<shared::Tag>(tag(Channel::first)), own.at_source(block),
                           bytes_of(block, own));
}

int SharedTransport::start_late(const Transfer& transfer) {
  late_.emplace_back().transfer = always(transfer);
  return start(late_.back(), Channel::first, Discipline::early);
}

// Whether anything came.
bool SharedTransport::take_what_came(int& error) {
  using Found = shared::Carrier::Found;
  const auto is_settled = [&](const SendReceivePair* pair) {
    const Found found = take(*pair);
    if (found == Found::otherwise && error == MPI_SUCCESS) {
      error = start_late(recv(pair->received, pair->from));
    }
    return found != Found::nothing;
  };
  return std::erase_if(to_take_, is_settled) > 0;
}

int exchange_by_transfers(Transport& transport, const SendReceivePair& pair, bool sent) {
  std::array<TransferUnderWay, 2> sides;
  std::array<TransferUnderWay*, 2> under_way{};
  std::size_t count = 0;
  const auto begin = [&](const Transfer& transfer) {
    sides[count].transfer = always(transfer);
    under_way[count] = &sides[count];
    return transport.start(*under_way[count++], Channel::first, Discipline::early);
  };
  int error =
      pair.from != SendReceivePair::nobody ? begin(recv(pair.received, pair.from)) : MPI_SUCCESS;
  if (error == MPI_SUCCESS && !sent && pair.to != SendReceivePair::nobody) {
    error = begin(send(pair.sent, pair.to));
  }
  if (error != MPI_SUCCESS) return error;
  return transport.wait({under_way.data(), count}, Until::all);
}

}  // namespace roundelay::mpi
