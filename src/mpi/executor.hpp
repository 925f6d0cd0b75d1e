// SPDX-License-Identifier: Apache-2.0
// Runs one rank's schedule over MPI point-to-point messages.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "mpi/datatype.hpp"
#include "mpi/scratch.hpp"
#include "schedule/schedule.hpp"

namespace roundelay {

// Where a call's units are. Unit i of a space is one element of `type` at base + i * type.extent;
// for data movement the type is MPI_BYTE.
struct Memory {
  std::array<std::byte*, 3> base{};  // by Space; the address of unit 0
  Datatype type;
  MPI_Op op = MPI_OP_NULL;  // of combine

  [[nodiscard]] std::byte* at(Slice slice) const noexcept {
    return base[static_cast<std::size_t>(slice.space())] + slice.offset() * type.extent;
  }
};

// Copies elements; writes nothing but their data. Returns an MPI error code.
int copy_elements(void* into, const void* from, std::int64_t count, const Datatype& type,
                  MPI_Comm own);

// Runs schedules, one at a time; each thread has its own and keeps its memory from call to call.
//
// It holds a window of rounds that were taken from the schedule and are not over. In the early
// discipline a transfer of any of them starts as soon as nothing before it in the window touches
// the same memory or comes before it between the same two ranks; rounds end, and their local steps
// happen, in order. In the paced discipline the window is one round and sends are synchronous, so
// that no rank has more than one flow in either direction.
class Executor {
 public:
  // Runs the schedule to its end over `comm`, a communicator of this library on which errors
  // return. Returns MPI_SUCCESS or the code of the first error; then nothing is in flight any more
  // that could write to the caller's memory.
  int run(Schedule& schedule, const Memory& memory, MPI_Comm comm, Discipline discipline);

  // For the buffers of a call, from before run() until release().
  [[nodiscard]] Scratch& scratch() noexcept { return scratch_; }
  void release() noexcept;

 private:
  // A transfer of a round that has been taken from the schedule.
  struct Move {
    Transfer transfer;
    std::vector<Slice> kept;       // its slices, where they are not in the transfer itself
    std::byte* staging = nullptr;  // where they are packed, if they are several and short
    std::int64_t staging_size = 0;
    bool posted = false;
    bool done = false;
  };
  struct Pending {
    std::vector<Move> moves;  // the first `move_count`: elements keep their memory for later rounds
    std::size_t move_count = 0;
    std::vector<LocalStep> steps;
    Fence fence = this_round;

    [[nodiscard]] std::span<Move> live() noexcept { return {moves.data(), move_count}; }
    [[nodiscard]] std::span<const Move> live() const noexcept { return {moves.data(), move_count}; }
  };

  int run_window(Schedule& schedule, std::size_t ahead);
  // At most one short message each way, none deferred. Such a round is over before running ahead
  // of it could help, so it is exchanged in place.
  struct ShortRound {
    const Transfer* sent = nullptr;
    const Transfer* received = nullptr;
  };
  [[nodiscard]] bool is_short(const Round& round, ShortRound& exchange) const noexcept;
  int run_short(const ShortRound& exchange);
  void take(const Round& round);
  int post_what_may();
  [[nodiscard]] bool may_post(std::size_t index, const Move& move) const;
  [[nodiscard]] bool fence_is_reached(Fence fence) const;
  [[nodiscard]] bool first_is_complete() const;
  int post(Move& move);
  int post_message(Move& move, void* address, int count, MPI_Datatype type);
  int post_gathered(Move& move);
  int post_scattered(Move& move);
  int wait_for_progress();
  void complete(Move& move);
  int retire_first();
  int do_step(const LocalStep& step);
  int wait_for_deferred();
  void abandon();

  [[nodiscard]] Pending& pending(std::size_t i) noexcept {
    return window_[(first_ + i) % window_.size()];
  }
  [[nodiscard]] const Pending& pending(std::size_t i) const noexcept {
    return window_[(first_ + i) % window_.size()];
  }

  const Memory* memory_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool synchronous_ = false;

  std::array<Pending, 4> window_;
  std::size_t first_ = 0;
  std::size_t taken_ = 0;
  std::deque<Move> deferred_;  // transfers that outlive their round

  std::vector<MPI_Request> requests_;
  std::vector<Move*> owners_;  // of each request
  std::vector<int> completed_;
  Scratch scratch_;
  bool staged_ = false;  // some move holds a part of it
};

}  // namespace roundelay
