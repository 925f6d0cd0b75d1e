// SPDX-License-Identifier: Apache-2.0
// Exchanges among fewer nodes, which tell what all of them take.
#include "choose/model/fewer_nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "choose/even_nodes.hpp"
#include "choose/model/shared_nodes_runs.hpp"

namespace roundelay::choose {
namespace {

TEST(FewerNodes, HaveAllTheirRanks) {
  const auto found = fewer_nodes_of(even_nodes(32, 16));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->some.nodes.text(), even_nodes(8, 16).nodes.text());
  EXPECT_EQ(found->few.nodes.text(), even_nodes(4, 16).nodes.text());
}

// Each rank has the share of a link and of the cores that it has among all.
TEST(FewerNodes, HaveSomeOfManyRanks) {
  const auto found = fewer_nodes_of(even_nodes(5, 96));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->some.nodes.text(), even_nodes(4, 32).nodes.text());
  EXPECT_EQ(found->few.nodes.text(), even_nodes(2, 32).nodes.text());
  interpret::NodeLinks links{.startup = 1, .byte = 2, .near_byte = 3, .step_byte = 4};
  EXPECT_EQ(found->shared(links).startup, 1);
  EXPECT_EQ(found->shared(links).byte, 6);
  EXPECT_EQ(found->shared(links).near_byte, 3);
  links.near_in_turn = true;
  EXPECT_EQ(found->shared(links).near_byte, 9);
  EXPECT_EQ(found->shared(links).step_byte, 12);
}

TEST(FewerNodes, AreAllOfAFewNodesWithFewerRanks) {
  const auto found = fewer_nodes_of(even_nodes(3, 128));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->some.nodes.text(), even_nodes(3, 32).nodes.text());
  EXPECT_EQ(found->few.nodes.text(), even_nodes(3, 16).nodes.text());
  EXPECT_EQ(found->times_as_many, 1);
  EXPECT_TRUE(found->keeps_messages);
}

TEST(FewerNodes, OfFewRanksThereAreNone) {
  EXPECT_FALSE(fewer_nodes_of(even_nodes(8, 16)).has_value());
  EXPECT_FALSE(fewer_nodes_of(even_nodes(2, 100)).has_value());
}

// The largest nodes stand for all.
TEST(FewerNodes, LeaveRanksWhereTheyAre) {
  std::vector<int> node_of;
  for (int rank = 0; rank < 400; ++rank) node_of.push_back(rank < 10 ? 0 : 1 + rank % 10);
  const auto found = fewer_nodes_of({.nodes = Partition::by(node_of), .sites = {}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->few.nodes.text(), [] {
    std::string text;
    for (int i = 0; i < 32; ++i) text += "ab";
    return text;
  }());
}

TEST(FewerNodes, WhatGrowsInProportionIsToldForAll) {
  const auto found = fewer_nodes_of(even_nodes(64, 16));
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(found->among_all(3 + 2 * 128, 3 + 2 * 64), 3 + 2 * 1024);
}

constexpr Machine network{
    .alpha = 2e-6, .gap = 5e-7, .beta = 1e-10, .near_alpha = 3e-7, .near_beta = 1e-10};

interpret::NodeLinks links_of(const Machine& machine) {
  return {.startup = machine.alpha,
          .gap = machine.gap,
          .byte = machine.beta,
          .near_startup = machine.near_alpha,
          .near_byte = machine.near_beta};
}

Facts facts_of(Collective collective, const Topology& topology, std::int64_t block) {
  return {.collective = collective,
          .bytes = block * topology.nodes.ranks(),
          .ranks = topology.nodes.ranks(),
          .topology = &topology,
          .nodes = topology.nodes.count()};
}

// Fewer nodes tell of a choice what a run of all ranks takes, but for such a share.
void expect_near_whole(const SharedNodesRuns& runs, const Choice& choice,
                       const interpret::NodeLinks& links, double error) {
  interpret::RunBudget enough{std::numeric_limits<double>::infinity(),
                              std::numeric_limits<int>::max()};
  const auto told = runs.traffic(choice, Over::fewer_nodes, links, enough);
  const auto whole = runs.traffic(choice, Over::all, links, enough);
  ASSERT_TRUE(told && whole);
  EXPECT_NEAR(told->seconds / whole->seconds, 1, error);
}

// A flood (scattered) meets at the links by chance: it is left out. Where start-ups count, a tree
// has fewer rounds than in proportion.
TEST(FewerNodes, TellWhatAllOfThemTake) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const interpret::NodeLinks links = links_of(network);
  for (const auto& [nodes, ranks] : {std::pair{32, 16}, {8, 64}, {128, 4}, {2, 128}, {4, 96}}) {
    const Topology topology = even_nodes(nodes, ranks);
    for (const std::int64_t block : {8, 256, 4096}) {
      const Facts facts = facts_of(Collective::alltoall, topology, block);
      const SharedNodesRuns runs(facts, network, links, {});
      const std::string call =
          std::to_string(nodes) + " nodes, " + std::to_string(block) + " bytes";
      double cheapest_told = infinity;
      double its = 0;
      double cheapest = infinity;
      for (const char* name : {"pairwise", "in_place", "bruck", "bine", "aggregated"}) {
        const Choice choice(*find(Collective::alltoall, name));
        interpret::RunBudget enough{infinity, std::numeric_limits<int>::max()};
        const auto told = runs.traffic(choice, Over::fewer_nodes, links, enough);
        const auto whole = run_on_shared_nodes(choice, facts, 0, links, {}, enough);
        ASSERT_TRUE(told && whole);
        EXPECT_GT(told->seconds, 0.75 * whole->seconds) << name << ", " << call;
        EXPECT_LT(told->seconds, (block == 8 ? 1.65 : 1.4) * whole->seconds)
            << name << ", " << call;
        cheapest = std::min(cheapest, whole->seconds);
        if (told->seconds < cheapest_told) {
          cheapest_told = told->seconds;
          its = whole->seconds;
        }
      }
      EXPECT_LE(its, 1.3 * cheapest) << call;
    }
  }
}

// Where blocks are longer for fewer ranks, so is the longest one.
TEST(FewerNodes, TellWhatBlocksOfOtherLengthsTake) {
  const interpret::NodeLinks links = links_of(network);
  const Topology topology = even_nodes(2, 128);
  Facts facts = facts_of(Collective::alltoallv, topology, 256);
  facts.longest = 2048;
  const SharedNodesRuns runs(facts, network, links, {});
  for (const char* name : {"tuna", "padded", "aggregated"}) {
    SCOPED_TRACE(name);
    expect_near_whole(runs, Choice(*find(Collective::alltoallv, name)), links, 0.25);
  }
}

// Of what is no exchange, those algorithms in which all ranks do as much.
TEST(FewerNodes, TellWhatOthersTakeInWhichAllRanksDoAsMuch) {
  const interpret::NodeLinks links = links_of(network);
  const Topology topology = even_nodes(32, 16);
  for (const Collective collective :
       {Collective::allgather, Collective::allreduce, Collective::reduce_scatter_block}) {
    for (const std::int64_t block : {256, 65536}) {
      const Facts facts = facts_of(collective, topology, block);
      const SharedNodesRuns runs(facts, network, links, {});
      for (const Algorithm* algorithm : algorithms_of(collective, Groups::one)) {
        const Choice choice(*algorithm);
        if (algorithm->native() || algorithm->uses_topology() || !choice.claims().symmetric)
          continue;
        SCOPED_TRACE(std::string(name_of(collective)) + " " + choice.text() + ", " +
                     std::to_string(block) + " bytes");
        expect_near_whole(runs, choice, links, 0.15);
      }
    }
  }
}

}  // namespace
}  // namespace roundelay::choose
