// SPDX-License-Identifier: Apache-2.0
// Few of many ranks on nodes, from which follows what all of them take.
//
// An algorithm that is composed does one stage inside of nodes and another between them. How long
// the first takes depends on the ranks of a node, the second on the number of nodes: so times add
// up. What all ranks take is what `nodes` take, all nodes with few ranks each, and `ranks`, few
// nodes with all their ranks, less what `both` take, few nodes with few ranks, which is in either.
// On each of them the busiest link carries as many bytes.
#pragma once

#include <optional>

#include "schedule/topology.hpp"

namespace roundelay::choose {

struct Excerpts {
  Topology nodes;
  Topology ranks;
  Topology both;
};

// So many of the largest nodes, and the first ranks of each, as they are placed.
[[nodiscard]] Topology excerpt(const Partition& nodes, int count, int ranks_of_each);

// None: the ranks are so few that nothing is gained, or of several sites.
[[nodiscard]] std::optional<Excerpts> excerpts_of(const Topology& topology);

}  // namespace roundelay::choose
