// SPDX-License-Identifier: Apache-2.0
// How long the model may run schedules while a call waits for its decision.
#pragma once

#include <cstddef>
#include <exception>

#include "schedule/schedule.hpp"

namespace roundelay::interpret {

class TooMuch : public std::exception {};

// A run is given up once what it prices takes longer than `seconds`. Its work is counted in
// transfers: a clock would give each rank another answer.
struct RunBudget {
  double seconds;
  int transfers;  // what is left of them

  // Each message counts once, and so do eight slices and steps together, which also take time.
  // Throws TooMuch.
  void look_at(const Round& posted) {
    constexpr std::size_t as_much_as_a_transfer = 8;
    std::size_t parts = posted.steps.size();
    for (const Transfer* transfer : posted.transfers) {
      if (!transfer->sends() || !transfer->happens()) continue;
      --transfers;
      parts += transfer->data.size();
    }
    transfers -= static_cast<int>(parts / as_much_as_a_transfer);
    if (transfers < 0) throw TooMuch();
  }
};

}  // namespace roundelay::interpret
