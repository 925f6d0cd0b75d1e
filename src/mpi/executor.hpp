// SPDX-License-Identifier: Apache-2.0
// Runs one rank's schedules over MPI messages, shared memory and windows.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/flow.hpp"
#include "mpi/mixed_transport.hpp"
#include "mpi/recording.hpp"
#include "mpi/scratch.hpp"
#include "mpi/short_recording.hpp"
#include "mpi/short_rounds.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

// A schedule, and where its units are.
struct ScheduledPart {
  Schedule schedule;
  const Memory* memory;
};

// Runs schedules of one call at a time, and keeps its memory from call to call.
//
// All functions that return a number return MPI_SUCCESS or the code of the first error. If they
// fail, or throw std::bad_alloc, nothing is in flight any more that could write to the caller's
// memory.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor() = default;

  // Runs the schedule to its end. Records in `recording`, if there is one, what play() may repeat;
  // closes it only if that is all.
  int run(ScheduledPart part, const Messages& messages, Discipline discipline,
          ShortRecording* recording = nullptr);
  // Whether the rounds of a call may be exchanged one by one: if ranks spin, or if no message of
  // MPI is used.
  [[nodiscard]] static bool may_exchange(const Messages& messages) noexcept {
    return waiting() == Waiting::spin || messages.put != nullptr || may_exchange_many(messages);
  }
  // Whether this holds also for rounds of several messages.
  [[nodiscard]] static bool may_exchange_many(const Messages& messages) noexcept {
    return messages.shared != nullptr && messages.shared->reaches_all() && messages.put == nullptr;
  }
  // Runs a closed recording, if may_exchange(), or may_exchange_many() where it is wide.
  int play(const ShortRecording& recording, const Memory& memory, const Messages& messages);
  // Records a schedule, which is new. Closes the recording only if that is all of it. Runs nothing.
  void record(Schedule& schedule, const Memory& memory, const Messages& messages,
              ShortRecording& recording);

  // Starts a schedule, or two that have no memory in common, in the same order on all ranks. Does
  // not wait. The memories must outlive what it started.
  int start(std::span<ScheduledPart> parts, const Messages& messages, Discipline discipline);
  // The same with a closed recording, which must outlive it, too.
  int start(const ShortRecording& recording, const Memory& memory, const Messages& messages);
  // The same with a recording that may change meanwhile.
  int start_copy(const ShortRecording& recording, const Memory& memory, const Messages& messages) {
    copied_.copy_rounds(recording);
    return start(copied_, memory, messages);
  }
  // What was started so last, and is over, once more.
  int start_again(const ShortRecording& recording);
  // The same as the first with a recording of all rounds, long messages or not.
  int start(const Recording& recording, const Memory& memory, const Messages& messages,
            Discipline discipline);
  // Goes on as far as it can without waiting.
  int progress();
  // To the end of what was started.
  int finish();
  int finish_after(int started) { return started != MPI_SUCCESS ? started : finish(); }
  // Nothing that was started is in progress.
  [[nodiscard]] bool over() const noexcept {
    return flowing_ == 0 && playing_.recording == nullptr;
  }
  // Gives up what is in progress.
  void give_up() noexcept;

  // Memory for a call, from before run() until release(): at least `bytes`, aligned to 64. Throws
  // std::bad_alloc.
  [[nodiscard]] std::byte* memory(std::int64_t bytes) {
    if (little_is_free_ && bytes <= static_cast<std::int64_t>(little_.size())) {
      little_is_free_ = false;
      return little_.data();
    }
    return scratch_.get(bytes);
  }
  void release() noexcept {
    little_is_free_ = true;
    if (scratch_.in_use()) free_buffers();
  }

 private:
  friend class ExecutorOfThread;
  class Attempt;

  [[gnu::noinline]] int play_wide(const ShortRecording& recording, const Memory& memory);
  int exchange_round(std::span<const SendReceivePair> pairs);
  int do_steps(std::span<const LocalStep* const> steps);
  void free_buffers() noexcept;
  int run_to_the_end();
  int go_on_playing();
  int advance();
  int wait(bool may_block);

  Scratch scratch_;
  // Short messages need no memory from elsewhere.
  alignas(64) std::array<std::byte, 128> little_;
  bool little_is_free_ = true;
  MixedTransport transport_{scratch_};
  std::vector<ScheduledPart> parts_;  // in progress, but for a recording
  std::array<Flow, 2> flows_{Flow(Channel::first), Flow(Channel::second)};
  std::size_t flowing_ = 0;  // flows in progress
  std::vector<TransferUnderWay*> awaited_;
  ShortRounds short_rounds_;
  ShortRecording copied_;
  // What start() plays; null: nothing.
  struct {
    const ShortRecording* recording = nullptr;
    const Memory* memory = nullptr;
    std::size_t pairs = 0;  // that are over
    std::size_t steps = 0;
    ShortRoundUnderWay under_way;
  } playing_;
  bool failed_ = false;
  Executor* next_ = nullptr;  // in a list of spare ones, or of those that were put aside
};

}  // namespace roundelay::mpi
