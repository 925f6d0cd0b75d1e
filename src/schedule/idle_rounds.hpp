// SPDX-License-Identifier: Apache-2.0
// Who runs a schedule without moving anything must notice that it never ends.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "schedule/schedule.hpp"

namespace roundelay {

class Endless : public std::runtime_error {
 public:
  explicit Endless(int rounds)
      : std::runtime_error(std::to_string(rounds) +
                           " rounds in a row have no transfer: it seems never to end") {}
};

// Of one schedule. With thousands of blocks of an empty message it may yield that many such rounds.
class IdleRounds {
 public:
  // To the next round; false if there is none. Throws Endless.
  bool next(Schedule& schedule) {
    if (!schedule.next()) return false;
    if (std::ranges::any_of(schedule.round().transfers, &Transfer::happens)) {
      count_ = 0;
    } else if (++count_ > most_in_a_row) {
      throw Endless(most_in_a_row);
    }
    return true;
  }

 private:
  static constexpr int most_in_a_row = 1'000'000;
  int count_ = 0;
};

}  // namespace roundelay
