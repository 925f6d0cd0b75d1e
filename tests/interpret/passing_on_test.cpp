// SPDX-License-Identifier: Apache-2.0
// What alltoall.aggregated sends between nodes, and how alltoallv.padded sees a call.
#include <gtest/gtest.h>

#include <string_view>

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
