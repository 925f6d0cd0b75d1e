// SPDX-License-Identifier: Apache-2.0
// Which messages cross between nodes where what a node has for another goes in few of them, and
// what goes together inside the nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/parts/digits.hpp"
#include "schedule/slice.hpp"
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

// One message for each pair of nodes, from agent to agent; or one for each rank of the other node,
// from the rank at its place.
enum class CrossingKind { of_nodes, of_lanes };

struct CrossingMessage {
  int from;
  int to;
  std::span<const int> ends;  // the ranks whose blocks it carries
};

// Those from a node to another.
[[nodiscard]] inline std::vector<CrossingMessage> messages_between(const Partition& nodes, int node,
                                                                   int other, CrossingKind kind) {
  const std::span<const int> here = nodes.members(node);
  const std::span<const int> there = nodes.members(other);
  if (kind == CrossingKind::of_nodes) {
    return {{here[agent(nodes, node, other)], there[agent(nodes, other, node)], there}};
  }
  std::vector<CrossingMessage> messages;
  for (std::size_t place = 0; place < there.size(); ++place) {
    messages.push_back({here[place % here.size()], there[place], there.subspan(place, 1)});
  }
  return messages;
}

// The ranks of other nodes whose blocks each rank of a node sends there, by its place.
[[nodiscard]] inline std::vector<std::vector<int>> ranks_served(const Partition& nodes, int node,
                                                                CrossingKind kind) {
  std::vector<std::vector<int>> served(static_cast<std::size_t>(nodes.size(node)));
  for (int other = 0; other < nodes.count(); ++other) {
    if (other == node) continue;
    for (const CrossingMessage& message : messages_between(nodes, node, other, kind)) {
      std::vector<int>& its = served[static_cast<std::size_t>(nodes.place_of(message.from))];
      its.insert(its.end(), message.ends.begin(), message.ends.end());
    }
  }
  return served;
}

// Blocks of others that wait at the rank where most do, as they go by digits inside the nodes.
[[nodiscard]] inline double blocks_passed_on(const Partition& nodes, CrossingKind kind, int radix) {
  std::size_t most = 0;
  for (int node = 0; node < nodes.count(); ++node) {
    const std::vector<std::vector<int>> served = ranks_served(nodes, node, kind);
    const auto n = nodes.size(node);
    const auto served_at = [&](int place) {
      return served[static_cast<std::size_t>((place + n) % n)].size();
    };
    const bool hand_out = kind == CrossingKind::of_nodes;
    for (int x = 0; x < n; ++x) {
      std::size_t waiting = hand_out ? served_at(x) * static_cast<std::size_t>(n - 1) : 0;
      for (Hop hop; hop.distance() < n; hop.next(radix)) {
        for (int j = hop.distance(); j < n; ++j) {
          if (!hop.is_of(j, radix)) continue;
          const int left = hop.left(j, radix);
          waiting += served_at(x + left) + (left > 0 ? 1 : 0);
          if (hand_out && left > 0) waiting += served_at(x - (j - left));
        }
      }
      most = std::max(most, waiting);
    }
  }
  return static_cast<double>(most);
}

using Bundle = std::vector<Slice>;

// What goes to a rank of a node together, by digits. `arriving(from, left)` says where what comes
// from a place is put, if it has so far to go.
template <typename Arriving>
struct Travelling {
  int x;
  int n;
  int radix;
  std::vector<Bundle>& bundles;  // by distance
  Arriving arriving;

  [[nodiscard]] std::span<const Slice> before(Hop /*hop*/, int j) const {
    return bundles[static_cast<std::size_t>(j)];
  }
  std::span<const Slice> after(Hop hop, int j) {
    const int left = hop.left(j, radix);
    const auto from = static_cast<std::size_t>((x + n - (j - left)) % n);
    return bundles[static_cast<std::size_t>(j)] = arriving(from, left);
  }
};

}  // namespace roundelay
