// SPDX-License-Identifier: Apache-2.0
#include "mpi/short_rounds.hpp"

#include <utility>

namespace roundelay::mpi {

void ShortRounds::begin(Schedule& schedule, bool more, const Memory& memory, bool many) {
  schedule_ = &schedule;
  memory_ = &memory;
  more_ = more;
  many_ = many;
  given_ = deferring_ = false;
  postponed_.clear();
}

bool ShortRounds::next() {
  if (std::exchange(given_, false)) more_ = schedule_->next();
  if (deferring_) return take_deferred();
  return more_ && take_round();
}

bool ShortRounds::take_round() {
  const Round& round = schedule_->round();
  if (is_one_pair(round, *memory_, one_)) {
    give({&one_, 1}, round.steps);
    return given_ = true;
  }
  if (!many_) return false;
  pairs_.clear();
  if (!pairs_.add(round, false, *memory_)) return take_deferred();
  give(pairs_.all(), round.steps);
  return given_ = true;
}

// Takes rounds as long as all of their messages are deferred, or they have none. Their steps touch
// nothing of what is deferred. All of the messages have to be complete then, and nothing else
// before.
bool ShortRounds::take_deferred() {
  deferring_ = true;
  for (; more_; more_ = schedule_->next()) {
    const Round& round = schedule_->round();
    if (round.fence == at_the_end && !postponed_.empty()) break;
    const bool waits = round.fence != this_round && !postponed_.empty();
    const bool has_both = !round.transfers.empty() && !round.steps.empty();
    if (waits || has_both || !pairs_.add(round, true, *memory_)) return false;
    for (const Transfer* transfer : round.transfers) postponed_.add(*transfer);
    if (round.steps.empty()) continue;
    give({}, round.steps);
    return given_ = true;
  }
  deferring_ = false;
  postponed_.clear();
  give(pairs_.all(), {});
  return true;
}

}  // namespace roundelay::mpi
