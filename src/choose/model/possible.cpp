// SPDX-License-Identifier: Apache-2.0
#include "choose/model/possible.hpp"

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

}  // namespace roundelay::choose
