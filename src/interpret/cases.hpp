// SPDX-License-Identifier: Apache-2.0
// Which cases prove an algorithm.
#pragma once

#include <optional>
#include <vector>

#include "interpret/case.hpp"

namespace roundelay::interpret {

// The cases that prove an algorithm for p ranks: an exact length and, up to 40 ranks, lengths that
// do not divide, and those around the lengths at which a parameter switches that is left to the
// algorithm; another network for one of them, or for each where a parameter is left to the
// algorithm; every root up to 17 ranks (6 where nodes or sites count), else four of them; both
// kinds of operation; in place or not; blocks of every distribution where they may be of any
// length, the uneven ones in another place on each rank and with gaps where MPI has displacements;
// some numbers of receivers where there are two groups; some nodes or sites where the
// algorithm asks for them; some graphs where ranks have neighbours. None if a restriction of the
// algorithm does not hold for p ranks.
[[nodiscard]] std::vector<Case> cases_of(const Choice& choice, int p);
// Of a shape only its ranks, receivers, topology and graph count.
// With `root`, only those of that root, where there is such a rank.
[[nodiscard]] std::vector<Case> cases_of(const Choice& choice, const Case& shape,
                                         std::optional<int> root = std::nullopt);

}  // namespace roundelay::interpret
