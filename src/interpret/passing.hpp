// SPDX-License-Identifier: Apache-2.0
// How long the blocks are that ranks pass on: see Problem::passing.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay::interpret {

// Of each rank; problems[i] is that of rank i, lengths[i] those of the blocks that it has for
// others. Throws Broken where the schedule does not run to its end.
[[nodiscard]] std::vector<std::vector<Units>> passing_lengths(
    const std::vector<Problem>& problems, std::vector<std::vector<Units>> lengths);

}  // namespace roundelay::interpret
