// SPDX-License-Identifier: Apache-2.0
#include "choose/model/possible.hpp"

#include <algorithm>

#include "interpret/call.hpp"

namespace roundelay::choose {

bool is_compared(const Algorithm& algorithm, const Facts& facts) {
  return !algorithm.native() && !algorithm.uses_topology() &&
         !(facts.one_node && algorithm.tells_lengths(facts.graph)) &&
         is_possible(Choice(algorithm), facts);
}

const Algorithm* first_common(Collective collective, Groups groups) {
  for (const Algorithm* algorithm : algorithms_of(collective, groups)) {
    if (!algorithm->native() && algorithm->common) return algorithm;
  }
  return nullptr;
}

bool exposes(const Choice& choice, int ranks) {
  const interpret::Call call(choice, {.p = ranks, .m = ranks});
  Schedule schedule = call.schedule(0);
  while (schedule.next()) {
    const auto transfers = schedule.round().transfers;
    if (std::ranges::count_if(transfers, [](const Transfer* transfer) {
          return transfer->exposed() && transfer->sends() && transfer->happens();
        }) > 1) {
      return true;
    }
  }
  return false;
}

}  // namespace roundelay::choose
