// SPDX-License-Identifier: Apache-2.0
// The model of neighbourhood collectives.
#pragma once

#include "choose/chooser.hpp"

namespace roundelay::choose {

// Whether messages go through memory alone, and every rank has a core.
[[nodiscard]] bool in_memory_with_a_core_each(const Facts& facts);

// What runs over a graph. MPI libraries send all messages at once, as ours do but for those that
// pass blocks on.
[[nodiscard]] Verdict over_graph(const Facts& facts, const Machine& machine);

}  // namespace roundelay::choose
