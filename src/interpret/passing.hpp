// SPDX-License-Identifier: Apache-2.0
// How long the blocks are that ranks pass on: see Problem::passing.
#pragma once

#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay::interpret {

// Of each rank, if rank i has lengths[i * p + j] units for rank j. Throws Broken where the schedule
// does not run to its end.
[[nodiscard]] std::vector<std::vector<Units>> passing_lengths(const Choice& choice,
                                                              const Topology& topology, int p,
                                                              std::span<const Units> lengths);

}  // namespace roundelay::interpret
