// SPDX-License-Identifier: Apache-2.0
#include "mpi/executor.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "mpi/waiting.hpp"

namespace roundelay {

namespace {

// One tag serves: between two ranks messages match in the order in which they are posted, and every
// rank posts them in the order of its rounds.
constexpr int tag = 1;

// Several slices up to this many bytes are copied together; a derived type costs more to make.
constexpr std::int64_t worth_copying = std::int64_t{64} << 10;
// Above this a message is described by a derived type, because its count may not fit an int.
constexpr std::int64_t largest_plain = std::int64_t{1} << 30;

// Up to this many bytes MPI libraries send without asking the receiver first.
constexpr std::int64_t short_message = 4096;

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

int copy_elements(void* into, const void* from, std::int64_t count, const Datatype& type,
                  MPI_Comm own) {
  if (count == 0) return MPI_SUCCESS;
  if (type.contiguous) {
    std::memmove(into, from, static_cast<std::size_t>(count * type.size));
    return MPI_SUCCESS;
  }
  static thread_local Scratch packed;
  std::byte* between = packed.get(count * type.size);
  int error = pack(between, from, count, type, own);
  if (error == MPI_SUCCESS) error = unpack(into, between, count, type, own);
  packed.reset();
  return error;
}

int Executor::run(Schedule& schedule, const Memory& memory, MPI_Comm comm, Discipline discipline) {
  memory_ = &memory;
  comm_ = comm;
  synchronous_ = discipline == Discipline::paced;
  bool more = schedule.next();
  if (!synchronous_ && waiting() == Waiting::spin) {
    ShortRound exchange;
    while (more && is_short(schedule.round(), exchange)) {
      if (const int error = run_short(exchange); error != MPI_SUCCESS) return error;
      for (const LocalStep* step : schedule.round().steps) {
        if (const int error = do_step(*step); error != MPI_SUCCESS) return error;
      }
      more = schedule.next();
    }
  }
  if (!more) return MPI_SUCCESS;
  int error = run_window(schedule, synchronous_ ? 1 : window_.size());
  if (error == MPI_SUCCESS) error = wait_for_deferred();
  if (error != MPI_SUCCESS) abandon();
  return error;
}

// The schedule has run to a round.
int Executor::run_window(Schedule& schedule, std::size_t ahead) {
  bool more = true;
  while (true) {
    while (more && taken_ < ahead) {
      take(schedule.round());
      if (const int error = post_what_may(); error != MPI_SUCCESS) return error;
      more = schedule.next();
    }
    if (taken_ == 0) return MPI_SUCCESS;
    while (!first_is_complete()) {
      if (const int error = wait_for_progress(); error != MPI_SUCCESS) return error;
      if (const int error = post_what_may(); error != MPI_SUCCESS) return error;
    }
    if (const int error = retire_first(); error != MPI_SUCCESS) return error;
    if (const int error = post_what_may(); error != MPI_SUCCESS) return error;
  }
}

bool Executor::is_short(const Round& round, ShortRound& exchange) const noexcept {
  exchange = {};
  for (const Transfer* transfer : round.transfers) {
    const Transfer*& place = writes(*transfer) ? exchange.received : exchange.sent;
    if (!waits_for_round(*transfer) || place != nullptr || transfer->data.size() > 1 ||
        transfer->data.length() * memory_->type.size > short_message) {
      return false;
    }
    if (transfer->happens()) place = transfer;
  }
  return round.fence == this_round;
}

int Executor::run_short(const ShortRound& exchange) {
  const auto [sent, received] = exchange;
  const MPI_Datatype type = memory_->type.handle;
  const auto address = [this](const Transfer* of) { return memory_->at(*of->data.begin()); };
  const auto count = [](const Transfer* of) { return static_cast<int>(of->data.length()); };
  if (sent != nullptr && received != nullptr) {
    // Short messages leave at once, so that all waiting is in the receive: faster than
    // MPI_Sendrecv.
    MPI_Request sending = MPI_REQUEST_NULL;
    int error = PMPI_Isend(address(sent), count(sent), type, sent->peer, tag, comm_, &sending);
    if (error != MPI_SUCCESS) return error;
    error = PMPI_Recv(address(received), count(received), type, received->peer, tag, comm_,
                      MPI_STATUS_IGNORE);
    const int sent_error = PMPI_Wait(&sending, MPI_STATUS_IGNORE);
    return error != MPI_SUCCESS ? error : sent_error;
  }
  if (sent != nullptr) return PMPI_Send(address(sent), count(sent), type, sent->peer, tag, comm_);
  if (received == nullptr) return MPI_SUCCESS;
  return PMPI_Recv(address(received), count(received), type, received->peer, tag, comm_,
                   MPI_STATUS_IGNORE);
}

// The round is the schedule's until it goes on: copy it.
void Executor::take(const Round& round) {
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

int Executor::post_what_may() {
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

bool Executor::may_post(std::size_t index, const Move& move) const {
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
  if (index > 0 && move.transfer.token && move.transfer.sends()) return false;
  const Pending& own = pending(index);
  if (own.fence != this_round && (index > 0 || !fence_is_reached(own.fence))) return false;
  // Within a round only the order between the same two ranks counts.
  for (const Move& other : own.live()) {
    if (&other == &move) break;
    if (!other.posted && between_the_same(move.transfer, other.transfer)) return false;
  }
  return true;
}

bool Executor::fence_is_reached(Fence fence) const {
  return std::ranges::none_of(
      deferred_, [fence](const Move& move) { return move.transfer.due == fence && !move.done; });
}

bool Executor::first_is_complete() const {
  const Pending& first = pending(0);
  if (first.fence != this_round && !fence_is_reached(first.fence)) return false;
  return std::ranges::all_of(first.live(), [](const Move& move) {
    return move.done || (move.posted && !waits_for_round(move.transfer));
  });
}

int Executor::post(Move& move) {
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

int Executor::post_message(Move& move, void* address, int count, MPI_Datatype type) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int peer = move.transfer.peer;
  int error = MPI_SUCCESS;
  if (writes(move.transfer)) {
    error = PMPI_Irecv(address, count, type, peer, tag, comm_, &request);
  } else if (synchronous_) {
    error = PMPI_Issend(address, count, type, peer, tag, comm_, &request);
  } else {
    error = PMPI_Isend(address, count, type, peer, tag, comm_, &request);
  }
  if (error != MPI_SUCCESS) return error;
  requests_.push_back(request);
  owners_.push_back(&move);
  return MPI_SUCCESS;
}

// Several short slices: one copy through memory of ours.
int Executor::post_gathered(Move& move) {
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

// Long slices, or elements with gaps: the MPI library gathers them as it sends.
int Executor::post_scattered(Move& move) {
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

int Executor::wait_for_progress() {
  const Pending& first = pending(0);
  const auto urgent =
      static_cast<std::size_t>(std::ranges::count_if(first.live(), [](const Move& move) {
        return move.posted && !move.done && waits_for_round(move.transfer);
      }));
  // With nothing else in flight and nothing that could start meanwhile, all may be waited for.
  if (taken_ == 1 && urgent == requests_.size()) {
    const int error = wait_all(requests_);
    if (error != MPI_SUCCESS) return error;
    for (Move* owner : owners_) complete(*owner);
    requests_.clear();
    owners_.clear();
    return MPI_SUCCESS;
  }
  const int error = wait_some(requests_, completed_);
  if (error != MPI_SUCCESS) return error;
  for (const int index : completed_) complete(*owners_[static_cast<std::size_t>(index)]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (owners_[i]->done) continue;
    requests_[kept] = requests_[i];
    owners_[kept++] = owners_[i];
  }
  requests_.resize(kept);
  owners_.resize(kept);
  return MPI_SUCCESS;
}

void Executor::complete(Move& move) {
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

int Executor::retire_first() {
  Pending& first = pending(0);
  for (Move& move : first.live()) {
    if (move.done) continue;
    deferred_.push_back(std::move(move));
    move = Move();
    Move& late = deferred_.back();
    if (!late.kept.empty()) late.transfer.data = Slices(late.kept, late.transfer.data.length());
    std::ranges::replace(owners_, &move, &late);
  }
  first_ = (first_ + 1) % window_.size();
  --taken_;
  for (const LocalStep& step : first.steps) {
    if (const int error = do_step(step); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Executor::do_step(const LocalStep& step) {
  if (step.from.empty()) return MPI_SUCCESS;
  if (step.kind == LocalStep::Kind::copy) {
    return copy_elements(memory_->at(step.into), memory_->at(step.from), step.from.length(),
                         memory_->type, comm_);
  }
  constexpr Units most = std::numeric_limits<int>::max();
  if (step.from.length() <= most) [[likely]] {
    return PMPI_Reduce_local(memory_->at(step.from), memory_->at(step.into),
                             static_cast<int>(step.from.length()), memory_->type.handle,
                             memory_->op);
  }
  for (Units done = 0; done < step.from.length(); done += most) {
    const Units length = std::min(most, step.from.length() - done);
    const int error = PMPI_Reduce_local(
        memory_->at(step.from.part(done, length)), memory_->at(step.into.part(done, length)),
        static_cast<int>(length), memory_->type.handle, memory_->op);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Executor::wait_for_deferred() {
  if (!requests_.empty()) {
    if (const int error = wait_all(requests_); error != MPI_SUCCESS) return error;
    for (Move* owner : owners_) complete(*owner);
    requests_.clear();
    owners_.clear();
  }
  deferred_.clear();
  return MPI_SUCCESS;
}

void Executor::release() noexcept {
  scratch_.reset();
  if (!staged_) return;
  for (Pending& each : window_) {
    for (Move& move : each.moves) move.staging_size = 0;
  }
  staged_ = false;
}

void Executor::abandon() {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    if (writes(owners_[i]->transfer)) {
      PMPI_Cancel(&requests_[i]);
      PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
    } else {
      PMPI_Request_free(&requests_[i]);
    }
  }
  requests_.clear();
  owners_.clear();
  deferred_.clear();
  taken_ = 0;
}

}  // namespace roundelay
