// SPDX-License-Identifier: Apache-2.0
// The choices of parameters for which an algorithm is tested.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay::interpret {

// Every combination of: each word; the standard number and the least and the greatest, or those
// that the parameter names; each algorithm that has a schedule, with its own parameters at their
// defaults. Of algorithms that are composed over a topology, which have many parts, each of these
// alone. The discipline is the executor's and stays at its default. Empty for the MPI library's
// own algorithm.
[[nodiscard]] std::vector<Choice> variants(const Algorithm& algorithm);

}  // namespace roundelay::interpret
