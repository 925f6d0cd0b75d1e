// SPDX-License-Identifier: Apache-2.0
#include "choose/model/remembered.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "choose/verdict.hpp"

namespace roundelay::choose {
namespace {

class Asked : public testing::Test {
 protected:
  // Whether the model was asked.
  bool asks(const Facts& facts, const Machine& machine = {}) {
    const bool knew = remembered_.knows(facts, machine);
    bool asked = false;
    static_cast<void>(remembered_.answer(facts, machine, [&](const Facts& of, const Machine&) {
      asked = true;
      return leave_native(of.collective, "asked");
    }));
    EXPECT_NE(asked, knew);
    EXPECT_TRUE(remembered_.knows(facts, machine));
    return asked;
  }

  Remembered<Verdict> remembered_{512};
};

TEST_F(Asked, OnceForEachKindOfCall) {
  const Facts facts{.collective = Collective::bcast, .bytes = 64, .ranks = 4};
  EXPECT_TRUE(asks(facts));
  EXPECT_FALSE(asks(facts));
  Facts other = facts;
  other.bytes = 65;
  EXPECT_TRUE(asks(other));
  EXPECT_FALSE(asks(facts));
}

TEST_F(Asked, OnceForEachMachine) {
  const Facts facts{.collective = Collective::bcast, .bytes = 64, .ranks = 4};
  EXPECT_TRUE(asks(facts, {.beta = 1e-9}));
  EXPECT_TRUE(asks(facts, {.beta = 2e-9}));
  EXPECT_FALSE(asks(facts, {.beta = 1e-9}));
}

// Each communicator has its own, which may be gone when the next one asks.
TEST_F(Asked, OnceForEachTopology) {
  const auto asks_on = [this](const std::vector<int>& nodes) {
    const Topology topology{.nodes = Partition::by(nodes), .sites = {}};
    return asks({.collective = Collective::bcast, .ranks = 4, .topology = &topology});
  };
  EXPECT_TRUE(asks_on({0, 0, 1, 1}));
  EXPECT_FALSE(asks_on({0, 0, 1, 1}));
  EXPECT_TRUE(asks_on({0, 1, 0, 1}));
  EXPECT_TRUE(asks({.collective = Collective::bcast, .ranks = 4}));
}

// Some large graphs take as much memory as many small ones.
TEST_F(Asked, AgainAfterLargeGraphs) {
  constexpr int ranks = 1 << 14;
  const Graph ring = Graph::ring(ranks);
  Facts large{.collective = Collective::neighbor_alltoall, .ranks = ranks, .graph = &ring};
  const Facts first{.collective = Collective::bcast, .bytes = 1, .ranks = 4};
  EXPECT_TRUE(asks(first));
  for (; large.bytes < 20; ++large.bytes) EXPECT_TRUE(asks(large));
  EXPECT_TRUE(asks(first));
}

TEST_F(Asked, AgainAfterManyOthers) {
  const Facts first{.collective = Collective::bcast, .bytes = 1, .ranks = 4};
  EXPECT_TRUE(asks(first));
  for (Facts other = first; other.bytes < 2000;) {
    ++other.bytes;
    EXPECT_TRUE(asks(other));
  }
  EXPECT_TRUE(asks(first));
}

}  // namespace
}  // namespace roundelay::choose
