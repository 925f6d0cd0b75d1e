// SPDX-License-Identifier: Apache-2.0
// All rounds of a schedule, copied, for a call that runs again and again.
//
// A schedule depends on nothing but its problem, and such a call has one problem. So its runs need
// the schedule once: to make its frame and what it keeps takes memory from the system.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace roundelay::mpi {

class Recording {
 public:
  // All that a schedule, which is new, yields. Throws std::bad_alloc.
  void record(Schedule schedule) {
    while (schedule.next()) add(schedule.round());
  }
  // They stay where they are.
  [[nodiscard]] const std::deque<Round>& rounds() const noexcept { return rounds_; }

 private:
  void add(const Round& round) {
    RoundList& copy = copies_.emplace_back();
    for (const Transfer* transfer : round.transfers) {
      Transfer own = *transfer;
      if (const auto slices = own.data.view(); slices.size() > 2) {
        const auto& kept = slices_.emplace_back(slices.begin(), slices.end());
        own.data = Slices(kept, own.data.length());
      }
      copy.add(own);
    }
    for (const LocalStep* step : round.steps) copy.add(*step);
    rounds_.push_back(copy.view());
    rounds_.back().fence = round.fence;
  }

  std::deque<RoundList> copies_;
  std::deque<std::vector<Slice>> slices_;
  std::deque<Round> rounds_;
};

// The rounds of a schedule one by one, from it or from a recording, which must outlive this.
class Rounds {
 public:
  Rounds() = default;
  // It has run to a round.
  explicit Rounds(Schedule& schedule) noexcept : schedule_(&schedule) {}
  // Before the round to which it has run comes another one, which stays where it is until next().
  Rounds(Round before, Schedule& schedule) noexcept
      : schedule_(&schedule), before_(before), is_before_(true) {}
  explicit Rounds(const Recording& recording) noexcept : recorded_(&recording) {}

  // As those of Schedule.
  [[nodiscard]] const Round& round() const noexcept {
    if (is_before_) return before_;
    return schedule_ != nullptr ? schedule_->round() : recorded_->rounds()[index_];
  }
  bool next() {
    if (std::exchange(is_before_, false)) return true;
    return schedule_ != nullptr ? schedule_->next() : ++index_ < recorded_->rounds().size();
  }
  // Whether a round is valid only until the next one.
  [[nodiscard]] bool pass() const noexcept { return schedule_ != nullptr; }

 private:
  Schedule* schedule_ = nullptr;
  Round before_;
  bool is_before_ = false;
  const Recording* recorded_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace roundelay::mpi
