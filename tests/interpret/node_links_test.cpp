// SPDX-License-Identifier: Apache-2.0
#include "interpret/node_links.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "choose/spelling.hpp"

namespace roundelay::interpret {
namespace {

constexpr double ever = std::numeric_limits<double>::infinity();

// Where each rank is.
using Places = std::vector<int>;
const Places four_by_four{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
const Places in_turn{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
const Places uneven{0, 0, 0, 0, 0, 1, 2, 2, 2};

Case on(const Places& places, Units m) {
  return {.p = static_cast<int>(places.size()),
          .m = m,
          .topology = {.nodes = Partition::by(places), .sites = {}}};
}

Choice chosen(Collective collective, const std::string& text) {
  return choose::parse_algorithm(collective, text);
}

Traffic run(const Choice& choice, const Case& of, const NodeLinks& links) {
  RunBudget budget{ever, 1 << 20};
  return run_over_nodes(choice, of, links, budget).value();
}

TEST(NodeLinks, ARingInTheOrderOfTheNodesLoadsEachLinkWithOneFlow) {
  const Units m = 1600;
  const Traffic traffic =
      run(chosen(Collective::allgather, "ring"), on(four_by_four, m), {.byte = 1});
  EXPECT_EQ(traffic.leaving, std::vector<Units>(4, m * 15 / 16));
  EXPECT_EQ(traffic.entering, std::vector<Units>(4, m * 15 / 16));
  EXPECT_EQ(traffic.ranks_that_share, 1);
  EXPECT_DOUBLE_EQ(traffic.seconds, m * 15 / 16);
}

TEST(NodeLinks, ARingAcrossTheNodesLoadsThemWithAFlowOfEachRank) {
  const Units m = 1600;
  const Traffic traffic = run(chosen(Collective::allgather, "ring"), on(in_turn, m), {.byte = 1});
  EXPECT_EQ(traffic.leaving, std::vector<Units>(4, 4 * m * 15 / 16));
  EXPECT_EQ(traffic.ranks_that_share, 4);
  EXPECT_DOUBLE_EQ(traffic.seconds, 4 * m * 15 / 16);
}

// Of p - 1 messages of m bytes, all are copied out and one is copied in.
TEST(NodeLinks, AnExposedBlockIsCopiedInOnce) {
  const Units m = 1000;
  const NodeLinks links{.near_byte = 2, .near_in_turn = true};
  const Places one_node(5, 0);
  EXPECT_DOUBLE_EQ(run(chosen(Collective::bcast, "linear"), on(one_node, m), links).seconds,
                   (4 + 1) * m);
  EXPECT_DOUBLE_EQ(run(chosen(Collective::bcast, "binomial"), on(one_node, m), links).seconds,
                   4 * 2 * m);
}

TEST(NodeLinks, NodesOfAnySizes) {
  const Units m = 900;
  const Traffic ring = run(chosen(Collective::allgather, "ring"), on(uneven, m), {.byte = 1});
  EXPECT_EQ(ring.leaving, std::vector<Units>(3, m * 8 / 9));
  // The leaders hand on what their nodes have.
  const Traffic hier =
      run(chosen(Collective::allgather, "hier(inter=ring)"), on(uneven, m), {.byte = 1});
  EXPECT_EQ(hier.entering, (std::vector<Units>{400, 800, 600}));
}

TEST(NodeLinks, AStartupAndALinkAtEitherEnd) {
  const NodeLinks links{.startup = 10, .byte = 2, .near_startup = 1, .near_byte = 0.5};
  const Choice binomial = chosen(Collective::bcast, "binomial");
  EXPECT_DOUBLE_EQ(run(binomial, on({0, 1}, 100), links).seconds, 10 + 200);
  EXPECT_DOUBLE_EQ(run(binomial, on({0, 0}, 100), links).seconds, 1 + 50);
}

// Two ranks of a node send to two of another.
TEST(NodeLinks, WhatSharesALinkFollowsEachOther) {
  const NodeLinks links{.startup = 10, .byte = 2};
  const Case of = on({0, 0, 1, 1}, 400);
  // Of three rounds the one over distance 2 is all between the nodes; in the others two blocks are.
  const Traffic traffic = run(chosen(Collective::alltoall, "pairwise(pieces=1)"), of, links);
  EXPECT_EQ(traffic.leaving, (std::vector<Units>{400, 400}));
  EXPECT_EQ(traffic.ranks_that_share, 2);
  EXPECT_GE(traffic.seconds, 800);
}

TEST(NodeLinks, LongMessagesBothWaysBetweenTwoRanksTakeTurns) {
  NodeLinks links{.byte = 1, .pairing = 2, .crossing = 100};
  const Choice pairs = chosen(Collective::allreduce, "recursive_doubling");
  // The first exchange begins for all at once, but between more than two nodes not always.
  EXPECT_DOUBLE_EQ(run(pairs, on({0, 1}, 100), links).seconds, 100);
  EXPECT_DOUBLE_EQ(run(pairs, on({0, 1, 2, 3}, 100), links).seconds, 110 + 200);
  EXPECT_DOUBLE_EQ(run(pairs, on({0, 1, 2, 3}, 99), links).seconds, 99 + 99);
  links.pairing = 1;
  EXPECT_DOUBLE_EQ(run(pairs, on({0, 1, 2, 3}, 100), links).seconds, 100 + 100);
}

// One of the two copies the result, which is made in the place of what it got.
TEST(NodeLinks, CombiningAndCopyingTakeTheirTime) {
  const NodeLinks links{.byte = 1, .step_byte = 3};
  const Choice pairs = chosen(Collective::allreduce, "recursive_doubling");
  EXPECT_DOUBLE_EQ(run(pairs, on({0, 1}, 100), links).seconds, 100 + 2 * 300);
}

TEST(NodeLinks, ARunIsGivenUp) {
  const Choice ring = chosen(Collective::allgather, "ring");
  const Case of = on(four_by_four, 1600);
  RunBudget enough{1500, 16 + 16 * 15};
  EXPECT_TRUE(run_over_nodes(ring, of, {.byte = 1}, enough));
  EXPECT_EQ(enough.transfers, 0);
  RunBudget short_of_time{1499, 1000};
  EXPECT_FALSE(run_over_nodes(ring, of, {.byte = 1}, short_of_time));
  RunBudget short_of_transfers{1500, 100};
  EXPECT_FALSE(run_over_nodes(ring, of, {.byte = 1}, short_of_transfers));
}

constexpr int many = 192;  // ranks

std::vector<Places> placements_of_many() {
  std::vector<Places> placements(3);  // one node after the other, in turn, nodes of two sizes
  for (int rank = 0; rank < many; ++rank) {
    placements[0].push_back(rank / 16);
    placements[1].push_back(rank % 12);
    placements[2].push_back(rank < 96 ? rank / 32 : rank / 8);
  }
  return placements;
}

constexpr NodeLinks network{.startup = 4e-6,
                            .gap = 5e-7,
                            .byte = 1e-9,
                            .near_startup = 1e-6,
                            .near_byte = 1e-10,
                            .step_byte = 1e-10};

void expect_same_bytes(const Traffic& few, const Traffic& all, double error) {
  EXPECT_EQ(few.ranks_that_share, all.ranks_that_share);
  for (std::size_t node = 0; node < all.leaving.size(); ++node) {
    const auto left = static_cast<double>(all.leaving[node]);
    EXPECT_NEAR(static_cast<double>(few.leaving[node]), left, error * left);
  }
}

// Exact where links or both partners of a message are waited for; short messages that leave at once
// overtake each other later on. An allreduce combines in half of its rounds only.
TEST(NodeLinks, OfManyRoundsThatAreAlikeAFewStandForAll) {
  NodeLinks links = network;
  for (const Collective collective :
       {Collective::allgather, Collective::allreduce, Collective::reduce_scatter}) {
    const Choice ring = chosen(collective, "ring");
    for (const Places& nodes : placements_of_many()) {
      for (const Units block : {8, 2048, 65536}) {
        for (const double eager : {0.0, ever}) {
          SCOPED_TRACE(std::string(name_of(collective)) + ", blocks of " + std::to_string(block));
          links.eager = eager;
          const Case of = on(nodes, many * block);
          RunBudget budget{ever, 10000};
          const Traffic few = run_over_nodes(ring, of, links, budget).value();
          EXPECT_GT(budget.transfers, 0);
          const Traffic all = run(ring, of, links);
          EXPECT_NEAR(few.seconds / all.seconds, 1, block == 8 && eager > 0 ? 0.16 : 0.05);
          expect_same_bytes(few, all, 0.01);
        }
      }
    }
  }
}

// Where the ranks of a node follow each other. In turn there may be fewer blocks than ranks, so
// that the links are not as busy as if there were more.
TEST(NodeLinks, OfManyBlocksThatFollowEachOtherAFewStandForAll) {
  const std::vector<Places> placements = placements_of_many();
  const std::pair<Collective, const char*> pipelines[] = {{Collective::scan, "chain"},
                                                          {Collective::bcast, "chain"},
                                                          {Collective::bcast, "circulant"},
                                                          {Collective::reduce, "circulant"},
                                                          {Collective::allreduce, "dual_root"}};
  for (const auto& [collective, name] : pipelines) {
    for (const int blocks : {150, 1000}) {
      const Choice cut = chosen(collective, name + ("(blocks=" + std::to_string(blocks) + ")"));
      for (const Places& nodes : placements) {
        SCOPED_TRACE(std::string(name_of(collective)) + "." + cut.text());
        const Case of = on(nodes, Units{4096} * blocks);
        RunBudget budget{ever, 20000};
        const Traffic few = run_over_nodes(cut, of, network, budget).value();
        EXPECT_GT(budget.transfers, 0);
        EXPECT_FALSE(few.all_rounds);
        const Traffic all = run(cut, of, network);
        EXPECT_TRUE(all.all_rounds);
        const bool in_turn = &nodes == &placements[1];
        EXPECT_GT(few.seconds / all.seconds, 0.9);
        EXPECT_LT(few.seconds / all.seconds, in_turn ? 1.5 : 1.1);
        expect_same_bytes(few, all, 0.04);
      }
    }
  }
}

// Of a stage, too; and all are run if a few tell that they are not too much work.
TEST(NodeLinks, BlocksOfAStageFollowEachOther) {
  for (const Collective collective : {Collective::bcast, Collective::reduce}) {
    const Choice cut = chosen(collective, "hier(inter=circulant(blocks=1000))");
    for (const Places& nodes : placements_of_many()) {
      const Case of = on(nodes, 4096 * 1000);
      RunBudget little{ever, 6000};
      const Traffic few = run_over_nodes(cut, of, network, little).value();
      EXPECT_FALSE(few.all_rounds);
      RunBudget enough{ever, 40000};
      const Traffic all = run_over_nodes(cut, of, network, enough).value();
      EXPECT_TRUE(all.all_rounds);
      EXPECT_NEAR(few.seconds / all.seconds, 1, 0.05);
      expect_same_bytes(few, all, 0.01);
    }
  }
}

TEST(NodeLinks, SomebodyHasToKnowTheNodes) {
  RunBudget budget{ever, 1000};
  EXPECT_THROW(
      (void)run_over_nodes(chosen(Collective::allgather, "ring"), {.p = 4, .m = 4}, {}, budget),
      std::invalid_argument);
}

}  // namespace
}  // namespace roundelay::interpret
