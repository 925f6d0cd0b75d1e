// SPDX-License-Identifier: Apache-2.0
// The rounds of a schedule as send-receive pairs, as long as they can be exchanged in place.
//
// A round of short messages is over before running ahead of it could help. So it can be exchanged
// before the next one is looked at; and so can rounds whose messages are all deferred to the end,
// together.
#pragma once

#include <span>

#include "mpi/memory.hpp"
#include "mpi/recording.hpp"
#include "mpi/send_receive_pairs.hpp"
#include "schedule/schedule.hpp"

namespace roundelay::mpi {

class ShortRounds {
 public:
  // Nothing of the schedule is deferred yet. It has run to a round, if there are `more`. `many`:
  // rounds of several messages can be exchanged, too. The schedule and the memory must outlive
  // what follows.
  void begin(Schedule& schedule, bool more, const Memory& memory, bool many);
  // Whether there is more to do: to exchange the pairs, which are one round, and then to do the
  // steps. There may be none of either.
  bool next();
  [[nodiscard]] std::span<const SendReceivePair> pairs() const noexcept { return round_; }
  [[nodiscard]] std::span<const LocalStep* const> steps() const noexcept { return steps_; }

  // After the last of them: whether they are all of the schedule, or else what is left of it, which
  // may have been moved. That refers to this until it is forgotten.
  [[nodiscard]] bool all() const noexcept { return !more_; }
  [[nodiscard]] Rounds rest(Schedule& schedule) const noexcept {
    return postponed_.empty() ? Rounds(schedule) : Rounds(postponed_.view(), schedule);
  }
  void forget_rest() noexcept { postponed_.clear(); }

 private:
  bool take_round();
  bool take_deferred();
  void give(std::span<const SendReceivePair> pairs,
            std::span<const LocalStep* const> steps) noexcept {
    round_ = pairs;
    steps_ = steps;
  }

  Schedule* schedule_ = nullptr;
  const Memory* memory_ = nullptr;
  bool more_ = false;
  bool many_ = false;
  bool given_ = false;      // the round of the schedule
  bool deferring_ = false;  // rounds whose messages are deferred
  SendReceivePair one_;
  SendReceivePairs pairs_;
  RoundList postponed_;  // messages of these
  std::span<const SendReceivePair> round_;
  std::span<const LocalStep* const> steps_;
};

}  // namespace roundelay::mpi
