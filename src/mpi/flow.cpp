// SPDX-License-Identifier: Apache-2.0
#include "mpi/flow.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace roundelay::mpi {

namespace {

// Several slices up to this many bytes are copied together. As a derived type they take longer:
// allgather.bruck of 8 MiB among 8 ranks of a node 1.6 times with Open MPI, 10 times with MPICH.
constexpr std::int64_t worth_copying = std::int64_t{32} << 20;
// Above this a message is described by a derived type, because its count may not fit an int.
constexpr std::int64_t largest_plain = std::int64_t{1} << 30;

bool writes(const Transfer& transfer) noexcept { return !transfer.sends(); }

bool overlap(std::span<const Slice> some, Slice one) noexcept {
  return std::ranges::any_of(some, [one](Slice slice) { return slice.overlaps(one); });
}

// Whether the two must not be in flight together.
bool conflict(const Transfer& a, const Transfer& b) noexcept {
  if (!writes(a) && !writes(b)) return false;
  return std::ranges::any_of(a.data, [&](Slice slice) { return overlap(b.data.view(), slice); });
}

bool conflict(const Transfer& transfer, const LocalStep& step) noexcept {
  return overlap(transfer.data.view(), step.into) ||
         (writes(transfer) && overlap(transfer.data.view(), step.from));
}

bool between_the_same(const Transfer& a, const Transfer& b) noexcept {
  return a.peer == b.peer && a.direction == b.direction;
}

bool waits_for_round(const Transfer& transfer) noexcept { return transfer.due == this_round; }

}  // namespace

int copy_with_gaps(void* into, const void* from, std::int64_t count, const Datatype& type,
                   MPI_Comm own) {
  if (count == 0) return MPI_SUCCESS;
  static thread_local Scratch packed;
  std::byte* between = packed.get(count * type.size);
  int error = pack(between, from, count, type, own);
  if (error == MPI_SUCCESS) error = unpack(into, between, count, type, own);
  packed.reset();
  return error;
}

int do_step(const LocalStep& step, const Memory& memory, MPI_Comm comm) {
  if (step.from.empty()) return MPI_SUCCESS;
  if (step.kind == LocalStep::Kind::copy) {
    return copy_elements(memory.at(step.into), memory.at(step.from), step.from.length(),
                         memory.type, comm);
  }
  constexpr Units most = std::numeric_limits<int>::max();
  if (step.from.length() <= most) [[likely]] {
    return PMPI_Reduce_local(memory.at(step.from), memory.at(step.into),
                             static_cast<int>(step.from.length()), memory.type.handle, memory.op);
  }
  for (Units done = 0; done < step.from.length(); done += most) {
    const Units length = std::min(most, step.from.length() - done);
    const int error = PMPI_Reduce_local(memory.at(step.from.part(done, length)),
                                        memory.at(step.into.part(done, length)),
                                        static_cast<int>(length), memory.type.handle, memory.op);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

void Flow::begin(Schedule& schedule, bool more, const Memory& memory, MPI_Comm comm, int tag,
                 Discipline discipline) {
  schedule_ = &schedule;
  more_ = more;
  memory_ = &memory;
  comm_ = comm;
  tag_ = tag;
  synchronous_ = discipline == Discipline::paced;
  ahead_ = synchronous_ ? 1 : window_.size();
}

int Flow::advance() {
  while (true) {
    while (more_ && taken_ < ahead_) {
      take(schedule_->round());
      if (const int error = post_what_may(); error != MPI_SUCCESS) return error;
      more_ = schedule_->next();
    }
    if (taken_ == 0) return MPI_SUCCESS;
    if (!first_is_complete()) return post_what_may();
    if (const int error = retire_first(); error != MPI_SUCCESS) return error;
    if (const int error = post_what_may(); error != MPI_SUCCESS) return error;
  }
}

bool Flow::waits_for_all() const {
  const auto urgent =
      static_cast<std::size_t>(std::ranges::count_if(pending(0).live(), [](const Move& move) {
        return move.posted && !move.done && waits_for_round(move.transfer);
      }));
  return taken_ == 1 && urgent == in_flight_.requests.size();
}

// The round is the schedule's until it goes on: copy it.
void Flow::take(const Round& round) {
  Pending& copy = pending(taken_++);
  copy.fence = round.fence;
  copy.steps.clear();
  for (const LocalStep* step : round.steps) copy.steps.push_back(*step);
  copy.move_count = 0;
  if (copy.moves.size() < round.transfers.size()) copy.moves.resize(round.transfers.size());
  for (const Transfer* transfer : round.transfers) {
    if (!transfer->happens()) continue;
    Move& move = copy.moves[copy.move_count++];
    move.transfer = *transfer;
    move.posted = move.done = false;
    move.kept.clear();
    if (const auto slices = transfer->data.view(); slices.size() > 2) {
      move.kept.assign(slices.begin(), slices.end());
      move.transfer.data = Slices(move.kept, transfer->data.length());
    }
  }
}

int Flow::post_what_may() {
  for (std::size_t i = 0; i < taken_; ++i) {
    // Receives first: what arrives then has a place to go.
    for (const bool receives : {true, false}) {
      for (Move& move : pending(i).live()) {
        if (move.posted || writes(move.transfer) != receives || !may_post(i, move)) continue;
        if (const int error = post(move); error != MPI_SUCCESS) return error;
      }
    }
  }
  return MPI_SUCCESS;
}

bool Flow::may_post(std::size_t index, const Move& move) const {
  const auto in_the_way = [&](const Move& other) {
    return (!other.done && conflict(move.transfer, other.transfer)) ||
           (!other.posted && between_the_same(move.transfer, other.transfer));
  };
  if (std::ranges::any_of(deferred_, in_the_way)) return false;
  for (std::size_t i = 0; i < index; ++i) {
    const Pending& before = pending(i);
    if (before.fence != this_round || std::ranges::any_of(before.live(), in_the_way) ||
        std::ranges::any_of(before.steps,
                            [&](const LocalStep& s) { return conflict(move.transfer, s); })) {
      return false;
    }
  }
  // A token says that all before it is over.
  if (index > 0 && move.transfer.token() && move.transfer.sends()) return false;
  const Pending& own = pending(index);
  if (own.fence != this_round && (index > 0 || !fence_is_reached(own.fence))) return false;
  // Within a round only the order between the same two ranks counts.
  for (const Move& other : own.live()) {
    if (&other == &move) break;
    if (!other.posted && between_the_same(move.transfer, other.transfer)) return false;
  }
  return true;
}

bool Flow::fence_is_reached(Fence fence) const {
  return std::ranges::none_of(deferred_, [fence](const Move& move) {
    return is_due(move.transfer.due, fence) && !move.done;
  });
}

bool Flow::first_is_complete() const {
  const Pending& first = pending(0);
  if (first.fence != this_round && !fence_is_reached(first.fence)) return false;
  return std::ranges::all_of(first.live(), [](const Move& move) {
    return move.done || (move.posted && !waits_for_round(move.transfer));
  });
}

int Flow::post(Move& move) {
  const auto slices = move.transfer.data.view();
  const std::int64_t count = move.transfer.data.length();
  const std::int64_t bytes = count * std::max(memory_->type.size, std::int64_t{1});
  move.posted = true;
  if (slices.empty()) return post_message(move, nullptr, 0, MPI_BYTE);
  if (bytes > largest_plain) return post_scattered(move);
  if (slices.size() == 1) {
    return post_message(move, memory_->at(slices.front()), static_cast<int>(count),
                        memory_->type.handle);
  }
  return memory_->type.contiguous && bytes <= worth_copying ? post_gathered(move)
                                                            : post_scattered(move);
}

int Flow::post_message(Move& move, void* address, int count, MPI_Datatype type) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int peer = move.transfer.peer;
  int error = MPI_SUCCESS;
  if (writes(move.transfer)) {
    error = PMPI_Irecv(address, count, type, peer, tag_, comm_, &request);
  } else if (synchronous_) {
    error = PMPI_Issend(address, count, type, peer, tag_, comm_, &request);
  } else {
    error = PMPI_Isend(address, count, type, peer, tag_, comm_, &request);
  }
  if (error != MPI_SUCCESS) return error;
  in_flight_.requests.push_back(request);
  in_flight_.owners.push_back({this, &move});
  return MPI_SUCCESS;
}

// Several slices: one copy through memory of ours.
int Flow::post_gathered(Move& move) {
  const std::int64_t bytes = move.transfer.data.length() * memory_->type.size;
  if (move.staging_size < bytes) {
    move.staging = scratch_.get(bytes);
    move.staging_size = bytes;
    staged_ = true;
  }
  if (!writes(move.transfer)) {
    std::byte* to = move.staging;
    for (const Slice slice : move.transfer.data) {
      const auto length = static_cast<std::size_t>(slice.length() * memory_->type.size);
      std::memcpy(to, memory_->at(slice), length);
      to += length;
    }
  }
  return post_message(move, move.staging, static_cast<int>(move.transfer.data.length()),
                      memory_->type.handle);
}

// More than is worth copying, or elements with gaps: the MPI library gathers them as it sends.
int Flow::post_scattered(Move& move) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  std::vector<int> lengths;
  std::vector<MPI_Aint> addresses;
  for (const Slice slice : move.transfer.data) {
    for (Units done = 0; done < slice.length(); done += most) {
      const Units length = std::min(most, slice.length() - done);
      lengths.push_back(static_cast<int>(length));
      MPI_Aint address = 0;
      PMPI_Get_address(memory_->at(slice.part(done, length)), &address);
      addresses.push_back(address);
    }
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int error = PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                        addresses.data(), memory_->type.handle, &type);
  if (error == MPI_SUCCESS) error = PMPI_Type_commit(&type);
  if (error == MPI_SUCCESS) error = post_message(move, MPI_BOTTOM, 1, type);
  if (type != MPI_DATATYPE_NULL) PMPI_Type_free(&type);
  return error;
}

void Flow::complete(Move& move) {
  move.done = true;
  if (!writes(move.transfer) || move.staging_size == 0) return;
  const auto slices = move.transfer.data.view();
  const std::int64_t bytes = move.transfer.data.length() * memory_->type.size;
  if (slices.size() < 2 || bytes > worth_copying || !memory_->type.contiguous) return;
  const std::byte* from = move.staging;
  for (const Slice slice : slices) {
    const auto length = static_cast<std::size_t>(slice.length() * memory_->type.size);
    std::memcpy(memory_->at(slice), from, length);
    from += length;
  }
}

int Flow::retire_first() {
  Pending& first = pending(0);
  for (Move& move : first.live()) {
    if (move.done) continue;
    deferred_.push_back(std::move(move));
    move = Move();
    Move& late = deferred_.back();
    if (!late.kept.empty()) late.transfer.data = Slices(late.kept, late.transfer.data.length());
    for (InFlight::Owner& owner : in_flight_.owners) {
      if (owner.move == &move) owner.move = &late;
    }
  }
  first_ = (first_ + 1) % window_.size();
  --taken_;
  for (const LocalStep& step : first.steps) {
    if (const int error = do_step(step, *memory_, comm_); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

void Flow::end() noexcept {
  deferred_.clear();
  taken_ = 0;
  more_ = false;
}

void Flow::release() noexcept {
  if (!staged_) return;
  for (Pending& each : window_) {
    for (Move& move : each.moves) move.staging_size = 0;
  }
  staged_ = false;
}

}  // namespace roundelay::mpi
