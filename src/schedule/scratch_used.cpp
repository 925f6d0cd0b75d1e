// SPDX-License-Identifier: Apache-2.0
#include "schedule/scratch_used.hpp"

#include <algorithm>

#include "schedule/idle_rounds.hpp"

namespace roundelay {

Units scratch_used(Schedule schedule) {
  Units used = 0;
  const auto count = [&used](Slice slice) {
    if (slice.space() == Space::scratch && !slice.empty()) used = std::max(used, slice.end());
  };
  IdleRounds rounds;
  while (rounds.next(schedule)) {
    for (const Transfer* transfer : schedule.round().transfers) {
      for (const Slice slice : transfer->data) count(slice);
    }
    for (const LocalStep* step : schedule.round().steps) {
      count(step->from);
      count(step->into);
    }
  }
  return used;
}

}  // namespace roundelay
