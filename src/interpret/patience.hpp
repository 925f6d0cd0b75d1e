// SPDX-License-Identifier: Apache-2.0
// How much a run may be that helps to choose during a call.
#pragma once

#include <cstddef>
#include <exception>

#include "schedule/schedule.hpp"

namespace roundelay::interpret {

class TooMuch : public std::exception {};

// It is given up once what it prices takes longer than `seconds`. Its work is counted in transfers:
// a clock would give each rank another answer.
struct Patience {
  double seconds;
  int transfers;  // what is left of them

  // What is posted is work, too, as it is looked through for what matches; and so are slices and
  // steps. Throws TooMuch.
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
