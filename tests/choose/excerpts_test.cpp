// SPDX-License-Identifier: Apache-2.0
// Few ranks that stand for all.
#include "choose/model/excerpts.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "choose/model/shared_nodes_runs.hpp"
#include "choose/placement.hpp"

namespace roundelay::choose {
namespace {

std::string sizes(int nodes, int ranks_of_each) {
  std::string text;
  for (int i = 0; i < nodes; ++i) text += (i > 0 ? "+" : "") + std::to_string(ranks_of_each);
  return text;
}

Topology placed(const std::string& text) {
  return {.nodes = Partition::by(parse_placement(text)), .sites = {}};
}

// So many nodes with so many ranks each.
void expect_few_of(int all, int few) {
  const auto found = excerpts_of(placed(sizes(all, all)));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->nodes.nodes.text(), sizes(all, few));
  EXPECT_EQ(found->ranks.nodes.text(), sizes(few, all));
  EXPECT_EQ(found->both.nodes.text(), sizes(few, few));
}

TEST(Excerpts, HaveAllNodesOrAllRanksOfANode) { expect_few_of(16, 4); }
TEST(Excerpts, HaveTwoOfEachAtLeast) { expect_few_of(100, 2); }

TEST(Excerpts, OfFewRanksThereAreNone) {
  EXPECT_FALSE(excerpts_of(placed(sizes(8, 8))).has_value());
  EXPECT_FALSE(excerpts_of(placed(sizes(2, 64))).has_value());
  EXPECT_FALSE(excerpts_of(placed(sizes(64, 2))).has_value());
}

// The largest nodes stand for all.
TEST(Excerpts, LeaveRanksWhereTheyAre) {
  std::vector<int> node_of;
  for (int rank = 0; rank < 300; ++rank) node_of.push_back(rank < 10 ? 0 : 1 + rank % 9);
  const auto found = excerpts_of({.nodes = Partition::by(node_of), .sites = {}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->nodes.nodes.count(), 10);
  EXPECT_EQ(found->nodes.nodes.largest(), 6);
  EXPECT_EQ(found->both.nodes.text(), "abababababab");
}

double seconds(const Choice& choice, const Topology& topology) {
  const Facts facts{.collective = choice.algorithm->collective,
                    .bytes = 1 << 20,
                    .ranks = topology.nodes.ranks(),
                    .topology = &topology,
                    .nodes = topology.nodes.count()};
  const interpret::NodeLinks links{
      .startup = 2e-6, .gap = 5e-7, .byte = 1e-10, .near_startup = 3e-7, .near_byte = 1e-10};
  interpret::RunBudget budget{std::numeric_limits<double>::infinity(), 1000000};
  return run_on_shared_nodes(choice, facts, facts.ranks / 2 - 1, links, {}, budget)->seconds;
}

TEST(Excerpts, TellWhatAllRanksTake) {
  const Topology all = placed(sizes(32, 16));
  const auto few = excerpts_of(all);
  ASSERT_TRUE(few.has_value());
  for (const char* name : {"hier", "lanes"}) {
    for (const Collective collective : {Collective::allreduce, Collective::allgather}) {
      const Choice choice(*find(collective, name));
      const double told =
          seconds(choice, few->nodes) + seconds(choice, few->ranks) - seconds(choice, few->both);
      EXPECT_NEAR(told / seconds(choice, all), 1, 0.15) << name_of(collective) << " " << name;
    }
  }
}

}  // namespace
}  // namespace roundelay::choose
