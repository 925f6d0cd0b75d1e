// SPDX-License-Identifier: Apache-2.0
// What of a call crosses from one part of the ranks to another.
#pragma once

#include <span>
#include <vector>

#include "interpret/problem.hpp"

namespace roundelay::interpret {

// For each partition of the case's ranks the units that all ranks together send to other parts of
// it, as the schedules of all ranks have them. Throws std::invalid_argument where Call does, and
// for a partition of other ranks.
[[nodiscard]] std::vector<Units> crossing(const Choice& choice, const Case& of,
                                          std::span<const Partition> partitions);

}  // namespace roundelay::interpret
