// SPDX-License-Identifier: Apache-2.0
// What is chosen for collectives among neighbours.
#include <gtest/gtest.h>

#include "choose/chooser.hpp"
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

TEST(Neighbours, TheMpiLibraryDoesTheSame) {
  const Verdict verdict = choose(facts_of(&ring), {}, machine_in_memory(Library::mpich));
  EXPECT_EQ(verdict.choice->text(), "native");
  EXPECT_EQ(verdict.reason, "model: the MPI library does the same");
}

TEST(Neighbours, InMemoryItIsWorthMeasuring) {
  const Machine machine = machine_in_memory(Library::mpich);
  const auto found = candidates(facts_of(&ring), {}, machine);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.front().choice->text(), "native");
  EXPECT_EQ(found.back().choice->text(), "direct");
  EXPECT_EQ(candidates(facts_of(nullptr), {}, machine).size(), 1U);
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
