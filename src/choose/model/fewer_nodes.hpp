// SPDX-License-Identifier: Apache-2.0
// A few of many nodes, or fewer ranks of a few nodes, from which follows what all of them take.
//
// For calls in which every rank has a block for every other, or does as much as any other for each
// of p blocks. If blocks keep their length, what the busiest rank and the busiest link have to do
// grows in proportion to the number of ranks. Two runs, among `some` ranks and among a `few`, tell
// by how much.
//
// Of nodes with many ranks only the first ranks are run. What the ranks of a node share is slower
// then, so that each has its share. That is right where all of them send to other nodes.
//
// If there are only a few nodes, both runs have all of them, and differ in the ranks of a node.
// There each rank keeps the length of its whole message: what it has to do for this stays the same,
// and what a link carries, or one rank does for its node, grows in proportion.
#pragma once

#include <optional>

#include "interpret/node_links.hpp"
#include "schedule/topology.hpp"

namespace roundelay::choose {

struct FewerNodes {
  Topology some;
  Topology few;
  int ranks = 0;                // on all nodes
  double times_as_many = 1;     // how many times as many ranks a node has, which share what it has
  bool keeps_messages = false;  // whole messages, not blocks, keep their length

  // What is the case among all, if it grows in proportion.
  [[nodiscard]] double among_all(double among_some, double among_few) const;
  // What the ranks of a node share, for those that are run.
  [[nodiscard]] interpret::NodeLinks shared(interpret::NodeLinks links) const;
};

// None: the ranks are so few that all of them can be run.
[[nodiscard]] std::optional<FewerNodes> fewer_nodes_of(const Topology& topology);

}  // namespace roundelay::choose
