// SPDX-License-Identifier: Apache-2.0
// The choices of parameters for which an algorithm is tested.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay::interpret {

// Every combination of: each word; the standard number and the least and the greatest, or those
// that the parameter names. For each combination, each part alone: every algorithm that has a
// schedule, with its own parameters and the other parts at their defaults. So the number of
// variants grows with the sum of the algorithms of all parts, not with their product. Of
// algorithms over a topology each parameter is varied alone. The discipline is the executor's and
// stays at its default. Empty for the MPI library's own algorithm.
[[nodiscard]] std::vector<Choice> variants(const Algorithm& algorithm);

}  // namespace roundelay::interpret
