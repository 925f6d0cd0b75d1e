// SPDX-License-Identifier: Apache-2.0
// What the algorithms called aggregated send between nodes, in how many messages
// neighbor_alltoall.combined sends, and how alltoallv.padded sees a call.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "catalogue_cases.hpp"
#include "choose/placement.hpp"
#include "interpret/mutants.hpp"
#include "interpret/verify.hpp"
#include "stencil.hpp"

namespace roundelay::interpret {
namespace {

Choice aggregated(Collective collective, std::int64_t lanes, std::int64_t radix) {
  Choice choice(*find(collective, "aggregated"));
  choice.values[1].number = lanes;
  choice.values[2].number = radix;
  return choice;
}

Case on_nodes(const Partition& nodes) {
  Case shape;
  shape.topology.nodes = nodes;
  shape.p = nodes.ranks();
  shape.m = 2 * Units{shape.p};
  return shape;
}

TEST(Aggregated, SendsOneMessageForEachPairOfNodesOrForEachRankOfAnother) {
  for (const std::string_view placement :
       {"4+4+4+4", "1+1", "5+3+4+2", "abcdabcdabcdabcd", "1+9+2", "1+1+1+1+2", "aabbbcabac"}) {
    const Case shape = on_nodes(Partition::by(choose::parse_placement(placement)));
    const Partition& nodes = shape.topology.nodes;
    Units blocks = 0;
    for (int node = 0; node < nodes.count(); ++node) {
      blocks += Units{nodes.size(node)} * (shape.p - nodes.size(node));
    }
    for (const int lanes : {0, 1}) {
      const Proof proof = verify(aggregated(Collective::alltoall, lanes, 2), shape);
      ASSERT_TRUE(proof.ok) << placement << ": " << proof.error;
      EXPECT_EQ(proof.far_messages, (lanes == 1 ? shape.p : nodes.count()) * (nodes.count() - 1))
          << placement;
      EXPECT_EQ(proof.far_volume, 2 * blocks) << placement;
    }
  }
}

// Blocks of other lengths, some of them empty, and of one rank alone.
void expect_proven(const Choice& choice, const Partition& nodes) {
  if (nodes.count() < 2) return;
  Case of = on_nodes(nodes);
  for (const Distribution distribution :
       {Distribution::even, Distribution::uneven, Distribution::degenerate}) {
    of.distribution = distribution;
    const Proof proof = verify(choice, of);
    ASSERT_TRUE(proof.ok) << choice.text() << ", " << nodes.text() << ": " << proof.error;
  }
}

TEST(Aggregated, IsProvenInLanesForAllRanksAndRadices) {
  for (int p = 2; p <= (slow ? most_ranks_tried : 64); ++p) {
    std::vector<std::vector<int>> placements(4);
    for (int rank = 0; rank < p; ++rank) {
      placements[0].push_back(rank / 4);
      placements[1].push_back(rank % 3);
      placements[2].push_back(rank * rank % 7);
      placements[3].push_back(2 * rank < p ? 0 : rank % 5);
    }
    for (const std::vector<int>& placement : placements) {
      const Partition nodes = Partition::by(placement);
      for (const int radix : std::set{2, 3, std::max(2, nodes.largest())}) {
        expect_proven(aggregated(Collective::alltoallv, 1, radix), nodes);
      }
    }
  }
  for (const std::string_view placement : {"9+8", "6+11", "abababababababcba"}) {
    const Partition nodes = Partition::by(choose::parse_placement(placement));
    for (int radix = 2; radix <= 17; ++radix) {
      for (const int lanes : {0, 1}) {
        expect_proven(aggregated(Collective::alltoallv, lanes, radix), nodes);
      }
    }
  }
}

TEST(Aggregated, NoMutantSurvivesInLanes) {
  for (const std::string_view placement : {"3+2", "abcab"}) {
    const Case of = on_nodes(Partition::by(choose::parse_placement(placement)));
    const Choice choice = aggregated(Collective::alltoall, 1, 2);
    EXPECT_EQ(mutants(choice, of).survivors, std::vector<std::string>{}) << placement;
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

// Of a rank that has most, to send or to be sent.
int most_messages(const Call& call, int ranks) {
  int most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    int sent = 0;
    int received = 0;
    Schedule schedule = call.schedule(rank);
    while (schedule.next()) {
      for (const Transfer* transfer : schedule.round().transfers) {
        ++(transfer->sends() ? sent : received);
      }
    }
    most = std::max({most, sent, received});
  }
  return most;
}

TEST(Combined, IsProvenOnRandomGraphs) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    const int p = 2 + dice(23);
    Case shape{.p = p, .m = 2 * Units{p}, .graph = random_graph(p, dice)};
    for (const Collective collective : collectives) {
      if (!among_neighbours(collective)) continue;
      const Choice choice(*find(collective, "combined"));
      for (const Distribution distribution :
           {Distribution::even, Distribution::uneven, Distribution::degenerate}) {
        shape.distribution = distribution;
        const Proof proof = verify(choice, shape);
        ASSERT_TRUE(proof.ok) << name_of(collective) << ", seed " << seed << ", graph "
                              << shape.graph->text() << ": " << proof.error;
      }
      EXPECT_LE(most_messages(Call(choice, shape), p), shape.graph->grid().directions())
          << "seed " << seed;
    }
  }
}

TEST(Combined, AStencilWithCornersTakesTwoMessagesForEachDimension) {
  for (const bool periodic : {true, false}) {
    for (const std::vector<int>& lengths : {std::vector{5, 6}, {3, 3}, {4, 3, 5}, {3, 3, 3, 4}}) {
      const auto graph = stencil_with_corners(lengths, periodic);
      const int dimensions = static_cast<int>(lengths.size());
      EXPECT_TRUE(graph->has_one_length());
      EXPECT_EQ(graph->grid().dimensions(), dimensions);
      const int p = graph->ranks();
      const Choice choice(*find(Collective::neighbor_alltoall, "combined"));
      const Case shape{.p = p, .m = p, .graph = graph};
      const Proof proof = verify(choice, shape);
      ASSERT_TRUE(proof.ok) << proof.error;
      EXPECT_EQ(most_messages(Call(choice, shape), p), 2 * dimensions);
    }
  }
}

TEST(Combined, NoMutantSurvivesOnAStencil) {
  const Choice choice(*find(Collective::neighbor_alltoall, "combined"));
  const Case of{.p = 9, .m = 9, .graph = stencil_with_corners({3, 3}, false)};
  EXPECT_EQ(mutants(choice, of).survivors, std::vector<std::string>{});
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
