// SPDX-License-Identifier: Apache-2.0
// Runs one rank's schedule over MPI point-to-point messages.
#pragma once

#include <mpi.h>

#include <array>
#include <span>
#include <vector>

#include "mpi/flow.hpp"
#include "mpi/tape.hpp"

namespace roundelay::mpi {

// Runs schedules, one call at a time; each thread has its own and keeps its memory from call to
// call.
class Executor {
 public:
  // Runs the schedule to its end over `comm`, a communicator of this library on which errors
  // return. Returns MPI_SUCCESS or the code of the first error; then nothing is in flight any more
  // that could write to the caller's memory. Records on `tape`, if there is one, what play() may
  // repeat; closes it only if that is all.
  int run(Schedule& schedule, const Memory& memory, MPI_Comm comm, Discipline discipline,
          Tape* tape = nullptr);
  // Runs a closed tape.
  int play(const Tape& tape, const Memory& memory, MPI_Comm comm);
  // Two that have no memory in common, at once. They are in the same order on all ranks.
  int run_both(std::array<Schedule, 2>& schedules, const std::array<const Memory*, 2>& memories,
               MPI_Comm comm, Discipline discipline);

  // For the buffers of a call, from before run() until release().
  [[nodiscard]] Scratch& scratch() noexcept { return scratch_; }
  void release() noexcept {
    if (scratch_.in_use()) free_buffers();
  }

 private:
  // At most one short message each way, none deferred. Such a round is over before running ahead
  // of it could help, so it is exchanged in place.
  static bool is_short(const Round& round, const Memory& memory, Beat& beat) noexcept;
  static int exchange(const Beat& beat, const Memory& memory, MPI_Comm comm);
  void free_buffers() noexcept;
  int run_to_the_end(std::span<Flow> flows);
  int advance(std::span<Flow> flows);
  int wait_for_progress(std::span<const Flow> flows);
  int wait_for_all();
  void abandon();

  InFlight in_flight_;
  std::vector<int> completed_;
  Scratch scratch_;
  std::array<Flow, 2> flows_{Flow(in_flight_, scratch_), Flow(in_flight_, scratch_)};
};

}  // namespace roundelay::mpi
