// SPDX-License-Identifier: Apache-2.0
// What alltoall.aggregated sends between nodes, and how alltoallv.padded sees a call.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue_cases.hpp"
#include "choose/placement.hpp"
#include "interpret/mutants.hpp"
#include "interpret/verify.hpp"

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
