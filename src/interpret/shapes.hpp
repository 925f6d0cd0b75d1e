// SPDX-License-Identifier: Apache-2.0
// Shapes: where the ranks of a case are, and who exchanges with whom.
#pragma once

#include <vector>

#include "interpret/case.hpp"

namespace roundelay::interpret {

// Those in which an algorithm is proven for p ranks: one, or some numbers of receivers, or some
// topologies, or graphs. The rest of the case is not said.
[[nodiscard]] std::vector<Case> shapes_of(const Choice& choice, int p);

}  // namespace roundelay::interpret
