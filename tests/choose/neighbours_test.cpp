// SPDX-License-Identifier: Apache-2.0
// What is chosen for collectives among neighbours.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../interpret/stencil.hpp"
#include "choose/candidates.hpp"
#include "choose/chooser.hpp"
#include "choose/nonblocking.hpp"
#include "choose/placement.hpp"
#include "choose/usual_machine.hpp"

namespace roundelay::choose {
namespace {

const Graph ring = Graph::ring(4);

Facts facts_of(const Graph* graph) {
  return {.collective = Collective::neighbor_alltoallv,
          .ranks = 4,
          .one_node = true,
          .shares_memory = true,
          .graph = graph};
}

const std::vector<Candidate> unpriced;

bool nonblocking_gains(const Facts& facts, const Machine& machine) {
  const Choice direct(*find(facts.collective, "direct"));
  return choose::nonblocking_gains(facts, direct, machine, [] { return unpriced; });
}

TEST(Neighbours, WithACoreEachTheyGoThroughMemory) {
  const Machine machine = machine_in_memory(Library::open_mpi);
  const Verdict verdict = choose(facts_of(&ring), {}, machine);
  EXPECT_EQ(verdict.choice->text(), "direct");
  EXPECT_EQ(verdict.reason, "model: the same messages, through memory");
  EXPECT_TRUE(nonblocking_gains(facts_of(&ring), machine));
  const auto found = candidates(facts_of(&ring), {}, machine);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.front().choice->text(), "direct");
  EXPECT_EQ(found.back().choice->text(), "native");
}

TEST(Neighbours, WhereTheMpiLibraryYieldsOtherRanksItDoesTheSame) {
  const Machine machine = machine_in_memory(Library::open_mpi);
  Facts facts = facts_of(&ring);
  facts.oversubscribed = true;
  const Verdict verdict = choose(facts, {}, machine);
  EXPECT_EQ(verdict.choice->text(), "native");
  EXPECT_EQ(verdict.reason, "model: the MPI library does the same");
  EXPECT_FALSE(nonblocking_gains(facts, machine));
  // But it is worth measuring.
  const auto found = candidates(facts, {}, machine);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.front().choice->text(), "native");
  EXPECT_EQ(found.back().choice->text(), "direct");
  facts.graph = nullptr;
  EXPECT_EQ(candidates(facts, {}, machine).size(), 1U);
}

TEST(Neighbours, WhereTheMpiLibraryKeepsCoresTheyAreQuickerByMessagesToo) {
  const Machine machine = machine_in_memory(Library::mpich);
  Facts facts = facts_of(&ring);
  facts.oversubscribed = true;
  for (const bool shares_memory : {true, false}) {
    facts.shares_memory = shares_memory;
    const Verdict verdict = choose(facts, {}, machine);
    EXPECT_EQ(verdict.choice->text(), "direct");
    EXPECT_EQ(verdict.reason, "model: the MPI library keeps cores while it waits");
    EXPECT_FALSE(nonblocking_gains(facts, machine));
  }
}

// Every rank sends to so many that follow it.
Graph following(int ranks, int count) {
  std::vector<Graph::Neighbours> all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < count; ++i) {
      const int before = (rank + ranks - 1 - i) % ranks;
      all[static_cast<std::size_t>(rank)].destinations.push_back({(rank + 1 + i) % ranks, i});
      all[static_cast<std::size_t>(rank)].sources.push_back({before, i});
    }
  }
  return Graph(std::move(all));
}

// A network of 100 Mbit/s.
constexpr Machine network{.alpha = 3e-5, .gap = 7.5e-6, .crowding = 4, .beta = 8e-8};

class OnTwoNodes : public testing::Test {
 protected:
  OnTwoNodes() { topology_.nodes = Partition::by(parse_placement("8+8")); }

  [[nodiscard]] Facts facts_of(const Graph& graph, std::int64_t bytes) const {
    return {.collective = Collective::neighbor_alltoallv,
            .bytes = bytes,
            .ranks = 16,
            .topology = &topology_,
            .nodes = 2,
            .ranks_per_node = 8,
            .graph = &graph};
  }
  static std::string chosen(const Facts& facts) {
    return choose(facts, {}, network).choice->text();
  }

 private:
  Topology topology_;
};

TEST_F(OnTwoNodes, ShortBlocksOfManyNeighboursAreCollected) {
  const Graph many = following(16, 14);
  EXPECT_EQ(choose(facts_of(many, 0), {}, network).reason,
            "model: the ranks do not share the length");
  const Verdict verdict = choose(facts_of(many, 14 * 64), {}, network);
  EXPECT_EQ(verdict.choice->text(), "aggregated");
  EXPECT_EQ(verdict.reason, "model: fewer start-ups");
  EXPECT_EQ(chosen(facts_of(many, 14 << 20)), "native");
}

TEST_F(OnTwoNodes, FewNeighboursOnOtherNodesAreNot) {
  const Graph torus = Graph::cartesian(std::array{4, 4}, {true, true});
  const Verdict verdict = choose(facts_of(torus, 4 * 64), {}, network);
  EXPECT_EQ(verdict.choice->text(), "native");
  EXPECT_EQ(verdict.reason, "model: the MPI library does the same");
}

TEST_F(OnTwoNodes, WhatIsRememberedIsOfTheGraphNotOfItsAddress) {
  Graph graph = following(16, 14);
  EXPECT_EQ(chosen(facts_of(graph, 14 * 64)), "aggregated");
  graph = Graph::ring(16);
  EXPECT_EQ(chosen(facts_of(graph, 14 * 64)), "native");
}

TEST_F(OnTwoNodes, CallsThatDoNotWaitGainByFewerMessages) {
  const Graph many = following(16, 14);
  const Facts facts = facts_of(many, 14 * 64);
  EXPECT_TRUE(choose::nonblocking_gains(facts, *choose(facts, {}, network).choice, network,
                                        [] { return unpriced; }));
  EXPECT_FALSE(nonblocking_gains(facts, network));
}

TEST_F(OnTwoNodes, WhatIsTakenMayBeMeasuredAgainstTheLibrary) {
  const Graph many = following(16, 14);
  const auto found = candidates(facts_of(many, 14 * 64), {}, network);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.front().choice->text(), "aggregated");
  EXPECT_EQ(found.back().choice->text(), "native");
  const Graph few = Graph::ring(16);
  EXPECT_EQ(candidates(facts_of(few, 64), {}, network).size(), 1U);
}

TEST(Neighbours, AcrossCornersShortBlocksGoInTheMessagesOfAGrid) {
  const Graph corners = *stencil_with_corners({4, 4}, true);
  Topology topology;
  topology.nodes = Partition::by(parse_placement("abcdefghijklmnop"));
  Facts facts{.collective = Collective::neighbor_alltoall,
              .bytes = std::int64_t{8} * 8,
              .ranks = 16,
              .topology = &topology,
              .nodes = 16,
              .ranks_per_node = 1,
              .graph = &corners};
  const Verdict verdict = choose(facts, {}, network);
  EXPECT_EQ(verdict.choice->text(), "combined");
  EXPECT_EQ(verdict.reason, "model: fewer start-ups");
  facts.bytes = 8 << 20;
  EXPECT_EQ(choose(facts, {}, network).choice->text(), "native");
  // Without corners there is nothing to put into one message.
  const Graph torus = Graph::cartesian(std::array{4, 4}, {true, true});
  facts.graph = &torus;
  facts.bytes = std::int64_t{4} * 8;
  EXPECT_EQ(choose(facts, {}, network).reason, "model: the MPI library does the same");
}

TEST(Neighbours, InMemoryMessagesOfAGridAreWorthMeasuringToo) {
  const Graph corners = *stencil_with_corners({3, 3}, true);
  Facts facts = facts_of(&corners);
  facts.ranks = 9;
  const auto found = candidates(facts, {}, machine_in_memory(Library::mpich));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].choice->text(), "direct");
  EXPECT_EQ(found[1].choice->text(), "native");
  EXPECT_EQ(found[2].choice->text(), "combined");
}

TEST(Neighbours, NothingRunsOverAGraphThatTheMpiLibraryReadsInAnotherWay) {
  Wishes wishes;
  wishes.forced = parse_choices("neighbor_alltoallv=direct");
  EXPECT_EQ(choose(facts_of(&ring), wishes).choice->text(), "direct");
  const Verdict verdict = choose(facts_of(nullptr), wishes);
  EXPECT_EQ(verdict.choice->text(), "native");
  EXPECT_EQ(verdict.reason, "a graph that the MPI library reads in another way");
}

}  // namespace
}  // namespace roundelay::choose
