// SPDX-License-Identifier: Apache-2.0
#include "algorithms/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <tuple>

namespace roundelay {
namespace {

TEST(Catalogue, IsSortedAndHasNoNameTwice) {
  const auto key = [](const Algorithm* a) { return std::tuple(a->collective, a->name); };
  EXPECT_TRUE(std::ranges::is_sorted(catalogue(), {}, key));
  EXPECT_EQ(std::ranges::adjacent_find(catalogue(), {}, key), catalogue().end());
}

TEST(Catalogue, EveryAlgorithmDescribesItself) {
  for (const Algorithm* algorithm : catalogue()) {
    SCOPED_TRACE(algorithm->name);
    EXPECT_FALSE(algorithm->summary.empty());
    if (algorithm->native()) continue;
    EXPECT_FALSE(algorithm->paper.empty());
    EXPECT_NE(algorithm->claims, nullptr);
    for (const Parameter& parameter : algorithm->parameters) {
      EXPECT_FALSE(parameter.summary.empty());
      EXPECT_FALSE(parameter.standard.empty());
    }
  }
}

TEST(Catalogue, EveryCollectiveHasTheLibrarysOwnAndAnother) {
  for (const Collective collective : collectives) {
    SCOPED_TRACE(name_of(collective));
    const auto of = algorithms_of(collective);
    EXPECT_EQ(std::ranges::count_if(of, &Algorithm::native), 1);
    EXPECT_GE(of.size(), 2U);
  }
}

TEST(Catalogue, FindsByName) {
  const Algorithm* ring = find(Collective::allgather, "ring");
  ASSERT_NE(ring, nullptr);
  EXPECT_EQ(ring->name, "ring");
  EXPECT_EQ(ring->collective, Collective::allgather);
  EXPECT_EQ(find(Collective::allgather, "no_such"), nullptr);
  ASSERT_NE(find_collective("reduce"), nullptr);
  EXPECT_EQ(*find_collective("reduce"), Collective::reduce);
  EXPECT_EQ(find_collective("no_such"), nullptr);
}

TEST(Choice, IsWrittenWithoutItsDefaults) {
  const Algorithm* algorithm = find(Collective::bcast, "scatter_allgather");
  ASSERT_NE(algorithm, nullptr);
  Choice choice(*algorithm);
  EXPECT_EQ(choice.text(), "scatter_allgather");
  choice.discipline = Discipline::paced;
  EXPECT_EQ(choice.text(), "scatter_allgather(discipline=paced)");
  const Algorithm* bruck = find(Collective::allgather, "bruck");
  ASSERT_NE(bruck, nullptr);
  choice.values[0].algorithm = std::make_shared<const Choice>(*bruck);
  EXPECT_EQ(choice.text(), "scatter_allgather(allgather=bruck, discipline=paced)");
}

TEST(Choice, NamesTheRestrictionThatDoesNotHold) {
  const Algorithm* circulant = find(Collective::allreduce, "circulant");
  ASSERT_NE(circulant, nullptr);
  const Choice choice(*circulant);
  EXPECT_EQ(violated(choice, {.ranks = 6}), nullptr);
  const Restriction* restriction = violated(choice, {.ranks = 6, .commutative = false});
  ASSERT_NE(restriction, nullptr);
  EXPECT_EQ(name_of(*restriction), "commutative");
}

}  // namespace
}  // namespace roundelay
