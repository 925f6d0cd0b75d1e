// SPDX-License-Identifier: Apache-2.0
// How the ranks of a simulation start at one instant and agree on numbers: by messages of their
// own, for a collective would be one of those that are measured.
#pragma once

#include <span>

namespace roundelay::simulate {

// Returns on all ranks at one instant of simulated time, and returns that.
[[nodiscard]] double start_together();
// Simulated seconds since the simulation began.
[[nodiscard]] double now();
// Of each value the largest of all ranks, on all ranks.
void agree_on_maxima(std::span<double> values);

}  // namespace roundelay::simulate
