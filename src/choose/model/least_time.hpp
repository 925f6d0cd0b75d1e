// SPDX-License-Identifier: Apache-2.0
// What no algorithm can do with less, where ranks share links.
#pragma once

#include <optional>

#include "algorithms/catalogue.hpp"

namespace roundelay::choose {

// Bytes that leave or enter one of the parts of the ranks, at the least, in a call of so many
// bytes, whatever the algorithm; of the part and the direction where it is most. The parts may be
// nodes or what else the ranks can be cut into. With a collective that has a root, `root` is a
// rank, or none where it may be any.
[[nodiscard]] double least_through_a_link(Collective collective, double bytes,
                                          const Partition& parts, std::optional<int> root = {});

// Seconds that a call takes at least, of which `link` are what the busiest link takes for its
// bytes.
[[nodiscard]] double least_seconds(Collective collective, double link, int nodes, double startup);

}  // namespace roundelay::choose
