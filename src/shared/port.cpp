// SPDX-License-Identifier: Apache-2.0
#include "shared/port.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <utility>

namespace roundelay::shared {

namespace {

// Cells in which a block is, so that one of its readers may go on where another one does not come.
constexpr std::size_t most_held = most_shared_in_cells / Layout::cell_bytes;

std::size_t lines_of(std::size_t bytes) noexcept {
  return bytes == 0 ? 1 : (bytes + Line::room - 1) / Line::room;
}

int cell_of(const Elsewhere& piece) noexcept {
  return static_cast<int>(piece.where / Layout::cell_bytes);
}

Elsewhere elsewhere_in(const Line& line) noexcept {
  Elsewhere piece;
  std::memcpy(&piece, line.data, sizeof piece);
  return piece;
}

}  // namespace

Port::Port(View view, int rank, PortSettings settings)
    : view_(view), rank_(rank), settings_(settings), pairs_(view.ranks()) {}

void Port::start(Message& message) {
  Pair& with = pairs_[message.peer];
  pairs_.activate(message.peer);
  if (message.sends) {
    message.written_ = 0;
    if (message.block != nullptr) message.block->started_.push_back(&message);
    with.to_write.push_back(&message);
    write_lines(message.peer);
  } else {
    with.receives.start(message);
  }
}

bool Port::progress() {
  bool moved = false;
  pairs_.progress([&](int peer) { moved = progress(peer) || moved; });
  idle_polls_ = moved ? 0 : std::min(idle_polls_ + 1, many_idle_polls);
  return moved;
}

void Port::withdraw(Message& message) noexcept {
  Pair& with = pairs_[message.peer];
  with.to_write.erase(&message);
  std::erase(with.to_be_taken, &message);
  with.receives.withdraw(message);
}

void Port::leave_out_one(Block& block) noexcept {
  --block.unfinished_;
  for (Block::Held& held : block.held_) {
    --held.readers;
    cells_.let_go(held.cell, 1);
  }
  std::erase_if(block.held_, [](const Block::Held& held) { return held.readers == 0; });
}

void Port::withdraw(Block& block) noexcept {
  for (const Block::Held& held : block.held_) cells_.let_go(held.cell, held.readers);
  block.held_.clear();
  block.started_.clear();
  block.unfinished_ = 0;
}

bool Port::put(int to, Tag tag, const std::byte* data, std::size_t bytes) noexcept {
  Pair& with = pairs_[to];
  if (!with.to_write.empty()) return false;
  if (bytes > short_bytes) {
    return !is_read_in_place(with, bytes) && put_to_all({&to, 1}, tag, data, bytes);
  }
  if (!lines_are_free(to, lines_of(bytes))) return false;
  do {
    const std::size_t part = std::min(bytes, Line::room);
    const Head head{.sequence = with.sent + 1,
                    .tag = tag,
                    .last = part == bytes,
                    .length = static_cast<std::uint8_t>(part)};
    if (part > 0) std::memcpy(view_.line(rank_, to, head.sequence).data, data, part);
    write_line(to, head, Cells::none);
    data += part;
    bytes -= part;
    counters_.bytes_copied += part;
  } while (bytes > 0);
  return true;
}

bool Port::put_to_all(std::span<const int> to, Tag tag, const std::byte* data,
                      std::size_t bytes) noexcept {
  const auto is_ready = [&](int peer) {
    return pairs_[peer].to_write.empty() && lines_are_free(peer, 1);
  };
  if (bytes > Layout::cell_bytes || !std::ranges::all_of(to, is_ready)) return false;
  const auto piece = new_cell(pairs_[to.front()], bytes, to.size());
  if (!piece) return false;
  std::memcpy(view_.in_cells(rank_, piece->where), data, bytes);
  for (const int peer : to) {
    const Head head{
        .sequence = pairs_[peer].sent + 1, .tag = tag, .kind = Head::Kind::in_cell, .last = true};
    std::memcpy(view_.line(rank_, peer, head.sequence).data, &*piece, sizeof *piece);
    write_line(peer, head, cell_of(*piece));
  }
  return true;
}

Port::Found Port::take(int from, Tag tag, std::byte* into, std::size_t room) noexcept {
  Pair& with = pairs_[from];
  if (!with.receives.idle() || with.receives.any_aside()) return Found::otherwise;
  std::uint32_t next = with.received;
  std::size_t bytes = 0;
  for (bool last = false; !last;) {
    const Line& line = view_.line(from, rank_, ++next);
    const Head head = Head::of(line.head.load());
    if (head.sequence != next) return Found::nothing;
    last = head.last;
    if (head.tag == tag && head.kind == Head::Kind::in_cell && last && bytes == 0) {
      const Elsewhere piece = elsewhere_in(line);
      if (piece.bytes > room) return Found::otherwise;
      std::memcpy(into, view_.in_cells(from, piece.where), piece.bytes);
      bytes = piece.bytes;
      break;
    }
    if (head.tag != tag || head.kind != Head::Kind::in_line || head.length > room - bytes ||
        (!last && next - with.received == most_short_lines)) {
      return Found::otherwise;
    }
    if (head.length > 0) std::memcpy(into + bytes, line.data, head.length);
    bytes += head.length;
  }
  give_lines_back(from, next - with.received);
  counters_.bytes_copied += bytes;
  return Found::taken;
}

bool Port::any_sends() const noexcept {
  return std::ranges::any_of(pairs_.active(), [&](int peer) {
    return !pairs_[peer].to_write.empty() || !pairs_[peer].to_be_taken.empty();
  });
}

bool Port::any_receives() const noexcept {
  return std::ranges::any_of(pairs_.active(),
                             [&](int peer) { return !pairs_[peer].receives.idle(); });
}

bool Port::is_read_in_place(const Pair& with, std::size_t bytes) const noexcept {
  const auto [one_way, both_ways] = settings_.in_place_from;
  if (!with.readable || bytes < std::min(one_way, both_ways)) return false;
  return bytes >= (any_receives() ? both_ways : one_way);
}

std::uint32_t Port::prepare_to_sleep() noexcept {
  Bell& bell = view_.bell(rank_);
  bell.sleeps.store(any_sends() ? sleeps_for_takings : sleeps_for_lines);
  return bell.rings.load();
}

void Port::sleep(std::uint32_t heard, long at_most) noexcept {
  const timespec time{0, at_most};
  std::atomic<std::uint32_t>& rings = view_.bell(rank_).rings;
  syscall(SYS_futex, &rings, FUTEX_WAIT, heard, &time, nullptr, 0);
  if (rings.load() == heard) idle_polls_ = many_idle_polls;
}

void Port::finish_sleep() noexcept { view_.bell(rank_).sleeps.store(0); }

// All that was written before is seen by whoever sees the value. Who says that it sleeps, and sees
// neither the value nor a ring, is seen here: all four accesses are of one order.
template <typename Number>
void Port::publish(std::atomic<Number>& word, Number value, int to,
                   std::uint32_t rung_from) noexcept {
  if (!settings_.sleeps) {
    word.store(value, std::memory_order_release);
    return;
  }
  word.store(value);
  Bell& bell = view_.bell(to);
  if (bell.sleeps.load() < rung_from) return;
  bell.rings.fetch_add(1);
  syscall(SYS_futex, &bell.rings, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool Port::progress(int peer) {
  Pair& with = pairs_[peer];
  const auto moves = [&with] {
    return with.sent + with.taken + with.received + with.asks + with.answered;
  };
  const std::uint32_t before = moves();
  if (!with.to_write.empty() || !with.to_be_taken.empty()) {
    look_what_was_taken(peer);
    answer(peer);
    write_lines(peer);
  }
  if (!with.receives.idle()) take_lines(peer);
  return moves() != before;
}

void Port::write_lines(int peer) {
  Pair& with = pairs_[peer];
  while (!with.to_write.empty()) {
    Message& message = *with.to_write.front();
    if (message.written_ == 0) message.first_line_ = with.sent + 1;
    if (!write_piece(peer, message)) return;
    if (message.left() > 0) continue;
    if (Block* const block = message.block; block != nullptr) {
      std::erase(block->started_, &message);
      --block->unfinished_;
    }
    if (message.waits_for_receiver) {
      message.last_line_ = with.sent;
      with.to_be_taken.push_back(&message);
    } else {
      message.done = true;
    }
    with.to_write.pop_front();
  }
}

// Whether it could.
bool Port::write_piece(int peer, Message& message) {
  Pair& with = pairs_[peer];
  if (!lines_are_free(peer, 1)) return false;
  const std::size_t left = message.left();
  Head head{.sequence = with.sent + 1, .tag = message.tag};
  Line& line = view_.line(rank_, peer, head.sequence);
  int cell = Cells::none;
  const auto write_in_line = [&](std::size_t bytes) {
    message.give(line.data, bytes);
    head.length = static_cast<std::uint8_t>(bytes);
    counters_.bytes_copied += bytes;
    return bytes;
  };
  const auto write_elsewhere = [&](Head::Kind kind, const Elsewhere& piece) {
    std::memcpy(line.data, &piece, sizeof piece);
    head.kind = kind;
    return piece.bytes;
  };
  std::size_t written = 0;
  if (left <= short_bytes && message.held() == nullptr) {
    written = write_in_line(
        whole_grains(std::min({left, Line::room, message.before_next_held()}), message.grain));
  } else if (const auto row = message.row_before_next_held();
             const auto piece =
                 in_a_cell(with, message, left, is_read_in_place(with, row.size()))) {
    written = write_elsewhere(Head::Kind::in_cell, *piece);
    cell = cell_of(*piece);
  } else if (is_read_in_place(with, row.size())) {
    view_.in_place(rank_, peer, head.sequence).copied.store(0, std::memory_order_relaxed);
    written = write_elsewhere(Head::Kind::in_place,
                              {reinterpret_cast<std::uintptr_t>(row.data()), row.size()});
    message.skip(written);
    message.waits_for_receiver = true;
  } else {
    if (idle_polls_ < many_idle_polls) return false;
    written = write_in_line(
        whole_grains(std::min(Line::room, message.before_next_held()), message.grain));
  }
  message.written_ += written;
  head.last = written == left;
  write_line(peer, head, cell);
  return true;
}

// The next piece of the message, which is in a cell then, if one is free; nothing if it is
// `readable` where it is, and better read there.
std::optional<Elsewhere> Port::in_a_cell(const Pair& with, Message& message, std::size_t left,
                                         bool readable) {
  if (Block::Held* const held = message.held(); held != nullptr) {
    const std::size_t offset = message.written_ - held->begin;
    const Elsewhere piece{static_cast<std::size_t>(held->cell) * Layout::cell_bytes + offset,
                          held->end - message.written_};
    message.skip(piece.bytes);
    if (--held->readers == 0) {
      auto& all = message.block->held_;
      all.erase(all.begin() + (held - all.data()));
    }
    return piece;
  }
  const std::size_t most = std::min(left, message.before_next_held());
  const std::size_t bytes =
      most <= Layout::cell_bytes ? most : whole_grains(Layout::cell_bytes, message.grain);
  const std::size_t end = message.written_ + bytes;
  std::size_t readers = message.readers_before(end);
  const bool shared = readers > 1 && message.written_ + left <= most_shared_in_cells;
  if (readable && !shared) return std::nullopt;
  if (readers > 1) {
    message.block->held_.reserve(most_held);
    if (message.block->held_.size() == most_held) {
      if (idle_polls_ < many_idle_polls) return std::nullopt;
      readers = 1;
    }
  }
  const auto piece = new_cell(with, bytes, readers);
  if (!piece) return std::nullopt;
  message.give(view_.in_cells(rank_, piece->where), bytes);
  if (readers > 1) {
    message.block->held_.push_back({message.written_, end, cell_of(*piece), readers - 1});
  }
  return piece;
}

// A cell for so many bytes, which the caller copies into it; nothing if none is free.
std::optional<Elsewhere> Port::new_cell(const Pair& with, std::size_t bytes,
                                        std::size_t readers) noexcept {
  if (cells_.free() <= with.cells) look_what_was_taken();
  if (cells_.free() <= with.cells) return std::nullopt;
  ++counters_.cells;
  counters_.bytes_copied += bytes;
  return Elsewhere{static_cast<std::size_t>(cells_.take(readers)) * Layout::cell_bytes, bytes};
}

bool Port::lines_are_free(int peer, std::size_t lines) noexcept {
  const Pair& with = pairs_[peer];
  if (with.sent - with.taken + lines > view_.lines()) look_what_was_taken(peer);
  return with.sent - with.taken + lines <= view_.lines();
}

void Port::write_line(int peer, Head head, int cell) noexcept {
  Pair& with = pairs_[peer];
  with.cell_of_line[head.sequence % Layout::most_lines] = static_cast<std::int8_t>(cell);
  if (cell != Cells::none) ++with.cells;
  with.sent = head.sequence;
  publish(view_.line(rank_, peer, head.sequence).head, head.word(), peer, sleeps_for_lines);
  ++counters_.lines;
}

void Port::look_what_was_taken(int peer) noexcept {
  Pair& with = pairs_[peer];
  const std::uint32_t taken = view_.taken(rank_, peer).lines.load();
  while (with.taken != taken) {
    const std::int8_t cell = with.cell_of_line[++with.taken % Layout::most_lines];
    if (cell == Cells::none) continue;
    cells_.let_go(cell, 1);
    --with.cells;
  }
  std::erase_if(with.to_be_taken, [taken](Message* message) {
    if (!reached(taken, message->last_line_)) return false;
    message->done = true;
    return true;
  });
}

void Port::look_what_was_taken() noexcept {
  for (int peer = 0; peer < view_.ranks(); ++peer) {
    if (pairs_[peer].cells > 0) look_what_was_taken(peer);
  }
}

void Port::give_lines_back(int peer, std::size_t lines) noexcept {
  Pair& with = pairs_[peer];
  with.received += static_cast<std::uint32_t>(lines);
  publish(view_.taken(peer, rank_).lines, with.received, peer, sleeps_for_takings);
  counters_.taken += lines;
}

void Port::take_lines(int peer) {
  Pair& with = pairs_[peer];
  while (!with.receives.idle()) {
    const std::uint32_t next = with.received + 1;
    const Line& line = view_.line(peer, rank_, next);
    const Head head = Head::of(line.head.load());
    if (head.sequence != next) return;
    Message* const message = with.receives.next(head.tag);
    if (head.kind == Head::Kind::in_place) {
      if (!take_in_place(peer, head, message)) return;
    } else if (message == nullptr) {
      put_aside(peer, line, head);
    } else {
      deliver(peer, line, head, *message);
    }
    if (message != nullptr && head.last) with.receives.finish(*message);
    give_lines_back(peer, 1);
  }
}

void Port::deliver(int peer, const Line& line, Head head, Message& message) {
  if (head.kind == Head::Kind::in_line) {
    message.take(line.data, head.length);
    counters_.bytes_copied += head.length;
    return;
  }
  const Elsewhere piece = elsewhere_in(line);
  message.take(view_.in_cells(peer, piece.where), piece.bytes);
  counters_.bytes_copied += piece.bytes;
}

void Port::put_aside(int peer, const Line& line, Head head) {
  Receives& receives = pairs_[peer].receives;
  Receives::Piece& piece = receives.empty_piece();
  piece.tag = head.tag;
  piece.last = head.last;
  if (head.kind == Head::Kind::in_line) {
    piece.bytes.assign(line.data, line.data + head.length);
  } else {
    const Elsewhere away = elsewhere_in(line);
    const std::byte* const cell = view_.in_cells(peer, away.where);
    piece.bytes.assign(cell, cell + away.bytes);
  }
  receives.put_aside();
}

// Whether the next line is over, whose bytes are in the memory of the other rank: `message`
// receives them, or nothing yet.
bool Port::take_in_place(int peer, Head head, Message* message) {
  Pair& with = pairs_[peer];
  Asking& asking = with.asking;
  const InPlace& line = view_.in_place(peer, rank_, head.sequence);
  if (!asking.active) {
    read_in_place(peer, line.piece, message);
  } else if (line.copied.load() == with.asks) {
    take_part(peer, line.part, line.few, message);
  } else {
    return false;
  }
  asking.active = asking.got < line.piece.bytes && !asking.failed;
  if (asking.active) {
    ask(peer, message);
    return false;
  }
  if (message != nullptr) {
    if (asking.aside) message->take(asking.bytes.data(), asking.bytes.size());
    message->failed = message->failed || asking.failed;
  } else if (asking.aside) {
    Receives::Piece& aside = with.receives.empty_piece();
    aside.tag = head.tag;
    aside.last = head.last;
    aside.failed = asking.failed;
    aside.bytes = std::move(asking.bytes);
    with.receives.put_aside();
  }
  asking.bytes = {};
  return true;
}

// As much of it as the system lets this rank read.
void Port::read_in_place(int peer, Elsewhere piece, Message* message) {
  Asking& asking = pairs_[peer].asking;
  asking.failed = false;
  asking.aside = message == nullptr;
  if (asking.aside) {
    asking.bytes.resize(piece.bytes);
    const bool all = read_from(process_of(peer), piece.where, asking.bytes);
    asking.got = all ? piece.bytes : 0;
  } else {
    asking.got = reader_.read(process_of(peer), piece, *message);
  }
  counters_.bytes_in_place += asking.got;
  if (asking.got < piece.bytes) ++counters_.unreadable;
}

// What was asked for has come.
void Port::take_part(int peer, Elsewhere part, const std::byte* few, Message* message) {
  Asking& asking = pairs_[peer].asking;
  const std::byte* const from =
      part.where == InPlace::here ? few : view_.in_cells(peer, part.where);
  if (asking.aside) {
    std::memcpy(asking.bytes.data() + asking.got, from, part.bytes);
  } else if (message != nullptr) {
    message->take(from, part.bytes);
  }
  asking.got += part.bytes;
  asking.failed = part.bytes == 0;
  counters_.bytes_copied += part.bytes;
}

void Port::ask(int peer, const Message* message) noexcept {
  Pair& with = pairs_[peer];
  Taken& taken = view_.taken(peer, rank_);
  taken.from = with.asking.got;
  taken.grain = message != nullptr ? message->grain : 1;
  publish(taken.asks, ++with.asks, peer, sleeps_for_takings);
}

// The other rank cannot read the bytes of its next line: copies what it asks for into a cell, or
// the line, if none is free; nothing if the message is no longer under way.
void Port::answer(int peer) noexcept {
  Pair& with = pairs_[peer];
  const Taken& taken = view_.taken(rank_, peer);
  const std::uint32_t asks = taken.asks.load();
  if (asks == with.answered) [[likely]]
    return;
  look_what_was_taken(peer);
  const std::uint32_t sequence = with.taken + 1;
  const auto has_line = [&](const Message* one) {
    return reached(sequence, one->first_line_) && reached(one->last_line_, sequence);
  };
  const Message* const writing = with.to_write.empty() ? nullptr : with.to_write.front();
  const bool is_under_way =
      std::ranges::any_of(with.to_be_taken, has_line) ||
      (writing != nullptr && writing->written_ > 0 && reached(sequence, writing->first_line_));
  InPlace& line = view_.in_place(rank_, peer, sequence);
  std::int8_t& cell = with.cell_of_line[sequence % Layout::most_lines];
  if (cell == Cells::none && cells_.free() > 0) {
    cell = static_cast<std::int8_t>(cells_.take(1));
    ++with.cells;
    ++counters_.cells;
  }
  const bool in_cell = cell != Cells::none;
  const std::uint64_t where =
      in_cell ? static_cast<std::uint64_t>(cell) * Layout::cell_bytes : InPlace::here;
  const std::size_t room = in_cell ? Layout::cell_bytes : sizeof line.few;
  const std::size_t left = is_under_way ? line.piece.bytes - taken.from : 0;
  line.part = {where, left == 0 ? 0 : whole_grains(std::min(room, left), taken.grain)};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it is this rank's own
  const auto* const from = reinterpret_cast<const std::byte*>(line.piece.where + taken.from);
  std::memcpy(in_cell ? view_.in_cells(rank_, where) : line.few, from, line.part.bytes);
  counters_.bytes_copied += line.part.bytes;
  with.answered = asks;
  with.readable = false;
  publish(line.copied, asks, peer, sleeps_for_lines);
}

}  // namespace roundelay::shared
