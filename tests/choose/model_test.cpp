// SPDX-License-Identifier: Apache-2.0
// What the model takes between nodes, where the lab has shown what is right.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "choose/chooser.hpp"

namespace roundelay {
namespace {

// 100 Mbit/s, as it is measured in the lab.
constexpr Machine lab{.alpha = 1.2e-4, .oversubscribed_alpha = 1.2e-4, .beta = 8e-8};

std::string taken(Collective collective, std::int64_t bytes, int ranks, std::int64_t longest = 0) {
  const Facts facts{.collective = collective, .bytes = bytes, .ranks = ranks, .longest = longest};
  return choose(facts, {}, lab).choice->text();
}

constexpr std::int64_t mib = 1 << 20;

TEST(Model, NoLongExchangesOfPairs) {
  EXPECT_EQ(taken(Collective::reduce_scatter, 4 * mib, 8), "circulant(discipline=paced)");
  EXPECT_EQ(taken(Collective::allgatherv, 4 * mib, 8), "ring");
  EXPECT_EQ(taken(Collective::allreduce, 8 * mib, 8), "ring");
  EXPECT_EQ(taken(Collective::allgather, 64 << 10, 8), "ring");
}

TEST(Model, PairsDoForShortMessages) {
  EXPECT_EQ(taken(Collective::allreduce, 8, 8), "recursive_doubling");
  EXPECT_EQ(taken(Collective::allgatherv, 800, 8), "bruck");
}

TEST(Model, LongBlocksAmongShortOnesAreCut) {
  EXPECT_EQ(taken(Collective::allgatherv, 4 * mib, 8, 4 * mib), "circulant");
  EXPECT_EQ(taken(Collective::reduce_scatter, 4 * mib, 8, 4 * mib), "circulant");
  EXPECT_EQ(taken(Collective::allgatherv, 4 * mib, 8, mib), "circulant");
}

TEST(Model, CombiningKeepsPipelinesInStep) {
  EXPECT_EQ(taken(Collective::reduce, 8 * mib, 8), "circulant");
  EXPECT_EQ(taken(Collective::bcast, 8 * mib, 8), "circulant(discipline=paced)");
}

// On a node with more ranks than cores a library that spins is left at once, one that yields never.
TEST(Model, OnOneNodeNativeLeadsUnlessItSpinsWhereOthersWait) {
  Facts facts{.collective = Collective::bcast, .bytes = mib, .ranks = 8, .one_node = true};
  const Machine spins{.native_leads_on_one_node = true};
  const Machine yields{.native_leads_on_one_node = true, .native_shares_cores = true};
  EXPECT_EQ(choose(facts, {}, spins).choice->text(), "native");
  facts.oversubscribed = true;
  EXPECT_EQ(choose(facts, {}, yields).choice->text(), "native");
  EXPECT_NE(choose(facts, {}, spins).choice->text(), "native");
}

TEST(Model, MessagesThatShareALinkAreNotScatteredDownATree) {
  EXPECT_EQ(taken(Collective::scatter, mib, 8), "linear");
  EXPECT_EQ(taken(Collective::scatter, 64, 64), "binomial");
}

TEST(Model, KnowsNothingOfLinksBetweenSites) {
  const Topology two{.nodes = {}, .sites = Partition::by(std::vector{0, 0, 0, 1, 1, 1})};
  const Facts facts{.collective = Collective::bcast, .bytes = mib, .ranks = 6, .topology = &two};
  EXPECT_EQ(choose(facts, {}, lab).reason, "model: several sites");
}

}  // namespace
}  // namespace roundelay
