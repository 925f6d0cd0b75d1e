// SPDX-License-Identifier: Apache-2.0
// The model of alltoallv and alltoallw.
#pragma once

#include "choose/chooser.hpp"
#include "choose/model/priced.hpp"

namespace roundelay::choose {

// Where the ranks neither share the length nor have agreed on one.
[[nodiscard]] Verdict length_is_missing(const Facts& facts);

// What passes blocks of any lengths on gains by fewer start-ups for short ones, and loses for long
// ones. Calls count by the shortest of them in the others and by the longest block in these. With a
// rank on each node; none where the best of the others is better, and for other collectives.
[[nodiscard]] Priced fewer_startups(const Facts& facts, const Machine& machine,
                                    const Priced& others);

// Blocks that go whole are not moved faster than by a library that keeps some under way: of 1 MiB,
// paced pairwise took 1.1 to 1.4 times as long as MPICH (docs/results/measured.md). So there is
// nothing to gain but by fewer start-ups, if at all for the shortest blocks.
[[nodiscard]] Verdict where_native_scatters(const Facts& facts, const Machine& machine);

}  // namespace roundelay::choose
