// SPDX-License-Identifier: Apache-2.0
// Who exchanges with which other node, where all that a node has for another is one message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "schedule/topology.hpp"

namespace roundelay {

// Which rank of a node, by its place, exchanges with another node.
[[nodiscard]] inline std::size_t agent(const Partition& nodes, int node, int other) {
  const int distance = (other - node + nodes.count()) % nodes.count();
  return static_cast<std::size_t>((distance - 1) % nodes.size(node));
}

// The other nodes with which a rank exchanges.
[[nodiscard]] inline std::vector<int> nodes_of(const Partition& nodes, int node,
                                               std::size_t place) {
  std::vector<int> others;
  for (int other = 0; other < nodes.count(); ++other) {
    if (other != node && agent(nodes, node, other) == place) others.push_back(other);
  }
  return others;
}

// Blocks that the rank with most of them collects from others and hands out.
[[nodiscard]] inline double blocks_passed_on(const Partition& nodes) {
  int most = 0;
  for (int node = 0; node < nodes.count(); ++node) {
    for (int place = 0; place < nodes.size(node); ++place) {
      int ranks = 0;
      for (const int other : nodes_of(nodes, node, static_cast<std::size_t>(place))) {
        ranks += nodes.size(other);
      }
      most = std::max(most, 2 * (nodes.size(node) - 1) * ranks);
    }
  }
  return most;
}

}  // namespace roundelay
