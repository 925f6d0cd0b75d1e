// SPDX-License-Identifier: Apache-2.0
// Nodes that hold equally many ranks, one node after the other.
#pragma once

#include <vector>

#include "schedule/topology.hpp"

namespace roundelay::choose {

inline Topology even_nodes(int nodes, int ranks_of_each) {
  std::vector<int> node_of;
  for (int rank = 0; rank < nodes * ranks_of_each; ++rank) node_of.push_back(rank / ranks_of_each);
  return {.nodes = Partition::by(node_of), .sites = {}};
}

}  // namespace roundelay::choose
