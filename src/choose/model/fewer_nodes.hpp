// SPDX-License-Identifier: Apache-2.0
// A few of many nodes, from which follows what all of them take.
//
// For calls in which every rank has a block for every other, or does as much as any other for each
// of p blocks. If blocks keep their length, what the busiest rank and the busiest link have to do
// grows in proportion to the number of ranks. Two runs, among `some` nodes and among a `few`, tell
// by how much.
//
// Of nodes with many ranks only the first ranks are run. What the ranks of a node share is slower
// then, so that each has its share. That is right where all of them send to other nodes.
#pragma once

#include <optional>

#include "interpret/node_links.hpp"
#include "schedule/topology.hpp"

namespace roundelay::choose {

struct FewerNodes {
  Topology some;
  Topology few;
  int ranks = 0;             // on all nodes
  double times_as_many = 1;  // how many times as many ranks a node has

  // What is the case among all, if it grows in proportion.
  [[nodiscard]] double among_all(double among_some, double among_few) const;
  // What the ranks of a node share, for those that are run.
  [[nodiscard]] interpret::NodeLinks shared(interpret::NodeLinks links) const;
};

// None: the ranks are so few that all of them can be run, or on so few nodes.
[[nodiscard]] std::optional<FewerNodes> fewer_nodes_of(const Topology& topology);

}  // namespace roundelay::choose
