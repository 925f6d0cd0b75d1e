// SPDX-License-Identifier: Apache-2.0
// What the algorithms called aggregated send between nodes, and how alltoallv.padded sees a call.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "choose/placement.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

TEST(Aggregated, SendsOneMessageForEachPairOfNodes) {
  const Choice choice(*find(Collective::alltoall, "aggregated"));
  for (const std::string_view placement :
       {"4+4+4+4", "1+1", "5+3+4+2", "abcdabcdabcdabcd", "1+9+2", "1+1+1+1+2", "aabbbcabac"}) {
    Case shape;
    shape.topology.nodes = Partition::by(choose::parse_placement(placement));
    const Partition& nodes = shape.topology.nodes;
    shape.p = nodes.ranks();
    shape.m = 2 * Units{shape.p};
    const Proof proof = verify(choice, shape);
    ASSERT_TRUE(proof.ok) << placement << ": " << proof.error;
    EXPECT_EQ(proof.far_messages, nodes.count() * (nodes.count() - 1)) << placement;
    Units blocks = 0;
    for (int node = 0; node < nodes.count(); ++node) {
      blocks += Units{nodes.size(node)} * (shape.p - nodes.size(node));
    }
    EXPECT_EQ(proof.far_volume, 2 * blocks) << placement;
  }
}

// Draws from a seed, the same everywhere.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  // One of 0 .. sides - 1.
  int operator()(int sides) { return static_cast<int>(engine_() % static_cast<unsigned>(sides)); }

 private:
  std::mt19937 engine_;
};

Partition random_nodes(int p, Dice& dice) {
  const int most = 2 + dice(4);
  std::vector<int> labels;
  for (int rank = 0; rank < p; ++rank) labels.push_back(dice(most));
  labels.front() = most;
  return Partition::by(labels);
}

// Some ranks have no edges in one direction or in both, some are their own neighbours, some have
// several edges to the same rank. Blocks are of any order, some without an edge; a rank has its
// sources in any order of the ranks.
std::shared_ptr<const Graph> random_graph(int p, Dice& dice) {
  std::vector<Graph::Neighbours> ranks(static_cast<std::size_t>(p));
  const int most = 1 + dice(2 * p);
  for (int rank = 0; rank < p; ++rank) {
    const int edges = dice(3) == 0 ? 0 : dice(most + 1);
    const int peers = 1 + dice(p);
    for (int i = 0; i < edges; ++i) {
      const int peer = (rank + dice(peers)) % p;
      auto& sources = ranks[static_cast<std::size_t>(peer)].sources;
      ranks[static_cast<std::size_t>(rank)].destinations.push_back({peer, 2 * (edges - i)});
      sources.push_back({rank, static_cast<int>(2 * sources.size())});
    }
  }
  for (Graph::Neighbours& rank : ranks) {
    std::vector<int> keys;
    for (int peer = 0; peer < p; ++peer) keys.push_back(dice(p));
    std::ranges::sort(rank.sources, {}, [&](Edge from) {
      return std::tuple(keys[static_cast<std::size_t>(from.peer)], from.peer, from.block);
    });
  }
  return std::make_shared<const Graph>(std::move(ranks));
}

// Blocks that have to cross, each to a node once, and the pairs of nodes that they cross between.
struct Crossing {
  Units blocks = 0;
  std::set<std::pair<int, int>> pairs = {};
};
Crossing crossing(const Graph& graph, const Partition& nodes, bool alike) {
  Crossing all;
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    std::multiset<int> to;
    for (const Edge edge : graph.destinations(rank)) to.insert(nodes.part_of(edge.peer));
    const int own = nodes.part_of(rank);
    to.erase(own);
    const std::set<int> others(to.begin(), to.end());
    all.blocks += std::ssize(alike ? std::multiset(others.begin(), others.end()) : to);
    for (const int other : others) all.pairs.emplace(own, other);
  }
  return all;
}

TEST(Aggregated, AmongNeighboursOnRandomGraphsAndPlacements) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    const int p = 2 + dice(14);
    Case shape{.p = p, .m = 2 * Units{p}};
    shape.topology.nodes = random_nodes(p, dice);
    shape.graph = random_graph(p, dice);
    for (const Collective collective : collectives) {
      if (!among_neighbours(collective)) continue;
      const Choice choice(*find(collective, "aggregated"));
      for (const Distribution distribution :
           {Distribution::even, Distribution::uneven, Distribution::degenerate}) {
        shape.distribution = distribution;
        const Proof proof = verify(choice, shape);
        ASSERT_TRUE(proof.ok) << name_of(collective) << ", seed " << seed << ", nodes "
                              << shape.topology.nodes.text() << ", graph " << shape.graph->text()
                              << ": " << proof.error;
        if (distribution != Distribution::even) continue;
        const Crossing least =
            crossing(*shape.graph, shape.topology.nodes, sends_one_block(collective));
        EXPECT_EQ(proof.far_messages, std::ssize(least.pairs)) << "seed " << seed;
        EXPECT_EQ(proof.far_volume, 2 * least.blocks) << "seed " << seed;
      }
    }
  }
}

// With ranks of 8 on a node and 5 nodes, each has its own agent for each other node.
TEST(Aggregated, AmongNeighboursOtherNodesHaveOtherAgents) {
  constexpr int p = 40;
  std::vector<Graph::Neighbours> ranks(p);
  for (int rank = 0; rank < p; ++rank) {
    for (int peer = 0; peer < p; ++peer) {
      ranks[static_cast<std::size_t>(rank)].destinations.push_back({peer, peer});
      ranks[static_cast<std::size_t>(rank)].sources.push_back({peer, peer});
    }
  }
  const Choice choice(*find(Collective::neighbor_alltoall, "aggregated"));
  Case shape{.p = p, .m = p, .graph = std::make_shared<const Graph>(std::move(ranks))};
  shape.topology.nodes = Partition::by(choose::parse_placement("8+8+8+8+8"));
  const Call call(choice, shape);
  for (int rank = 0; rank < p; ++rank) {
    Schedule schedule = call.schedule(rank);
    int between = 0;
    while (schedule.next()) {
      between += static_cast<int>(
          std::ranges::count_if(schedule.round().transfers, [&](const Transfer* transfer) {
            return transfer->sends() && transfer->peer / 8 != rank / 8;
          }));
    }
    EXPECT_EQ(between, rank % 8 < 4 ? 1 : 0) << rank;
  }
}

TEST(Padded, AllBlocksAreAsLongAsTheLongest) {
  const Choice choice(*find(Collective::alltoallv, "padded"));
  const Call call(choice, {.p = 6, .m = 12, .distribution = Distribution::uneven});
  for (int rank = 0; rank < 6; ++rank) {
    for (int other = 0; other < 6; ++other) {
      EXPECT_EQ(call.problem(rank).given[other].length(), 4);
      EXPECT_EQ(call.problem(rank).blocks[other].length(), 4);
    }
  }
}

}  // namespace
}  // namespace roundelay::interpret
