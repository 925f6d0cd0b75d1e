// SPDX-License-Identifier: Apache-2.0
#include "choose/model/excerpts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "choose/model/run_limits.hpp"

namespace roundelay::choose {

Topology excerpt(const Partition& nodes, int count, int ranks_of_each) {
  std::vector<int> by_size(static_cast<std::size_t>(nodes.count()));
  std::iota(by_size.begin(), by_size.end(), 0);
  std::ranges::sort(by_size, {}, [&](int node) { return std::pair(-nodes.size(node), node); });
  std::vector<bool> taken(by_size.size());
  for (int i = 0; i < count; ++i)
    taken[static_cast<std::size_t>(by_size.at(static_cast<std::size_t>(i)))] = true;
  std::vector<int> node_of;
  for (int rank = 0; rank < nodes.ranks(); ++rank) {
    const int node = nodes.part_of(rank);
    if (taken[static_cast<std::size_t>(node)] && nodes.place_of(rank) < ranks_of_each) {
      node_of.push_back(node);
    }
  }
  return {.nodes = Partition::by(node_of), .sites = {}};
}

std::optional<Excerpts> excerpts_of(const Topology& topology) {
  const Partition& nodes = topology.nodes;
  const int all_ranks = nodes.largest();
  const int few_nodes = std::min(nodes.count(), std::max(2, ranks_of_excerpt / all_ranks));
  const int few_ranks = std::min(all_ranks, std::max(2, ranks_of_excerpt / nodes.count()));
  if (few_nodes == nodes.count() || few_ranks == all_ranks) return std::nullopt;
  return Excerpts{.nodes = excerpt(nodes, nodes.count(), few_ranks),
                  .ranks = excerpt(nodes, few_nodes, all_ranks),
                  .both = excerpt(nodes, few_nodes, few_ranks)};
}

}  // namespace roundelay::choose
