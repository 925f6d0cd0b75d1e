// SPDX-License-Identifier: Apache-2.0
// Being called wherever the MPI library makes progress: in its waits and tests of whatever kind.
#pragma once

namespace roundelay::mpi {

// Goes on with something without waiting. Returns how many things have come to their end.
using Step = int (*)() noexcept;

// Whether this MPI library may be made to call somebody.
[[nodiscard]] bool has_progress_hook();

// From now on the MPI library calls `step`, the same one each time, from whatever thread is in one
// of its functions. Not from within a function that makes progress. Returns whether it does.
[[nodiscard]] bool hook_into_progress(Step step);
// Whether it does now.
[[nodiscard]] bool in_progress() noexcept;
// At the latest when MPI_Finalize frees MPI_COMM_SELF.
void leave_progress() noexcept;
// The same where that would be too late.
void leave_progress_before_finalize() noexcept;

// While one lives, no step is taken by its thread, which is in the middle of something that a step
// might do, too, and calls the MPI library meanwhile.
inline constinit thread_local int reasons_for_no_step = 0;
class NoSteps {
 public:
  NoSteps() noexcept { ++reasons_for_no_step; }
  NoSteps(const NoSteps&) = delete;
  NoSteps& operator=(const NoSteps&) = delete;
  ~NoSteps() { --reasons_for_no_step; }
};

}  // namespace roundelay::mpi
