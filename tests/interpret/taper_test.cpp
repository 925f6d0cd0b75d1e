// SPDX-License-Identifier: Apache-2.0
#include "interpret/taper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "choose/spelling.hpp"

namespace roundelay::interpret {
namespace {

constexpr int ranks = 512;

TEST(Taper, HasAFactorForEachDoublingOfTheDistanceEitherWayRound) {
  const std::array factors{2.0, 5.0, 3.0};
  const Taper taper(factors, ranks);
  EXPECT_TRUE(taper.any());
  EXPECT_EQ(taper.factor(3, 3, 0), 1);
  EXPECT_EQ(taper.factor(5, 6, 0), 1);
  EXPECT_EQ(taper.factor(5, 7, 0), 2);
  EXPECT_EQ(taper.factor(5, 8, 0), 2);
  EXPECT_EQ(taper.factor(5, 9, 0), 5);
  EXPECT_EQ(taper.factor(5, 12, 0), 5);
  EXPECT_EQ(taper.factor(5, 13, 0), 3);
  EXPECT_EQ(taper.factor(5, 261, 0), 3);
  EXPECT_EQ(taper.factor(9, 5, 0), 5);
  EXPECT_EQ(taper.factor(0, ranks - 2, 0), 2);
}

TEST(Taper, OfNothingIsNone) {
  const std::array even{1.0, 1.0};
  for (const Taper& none : {Taper({}, ranks), Taper(even, ranks)}) {
    EXPECT_FALSE(none.any());
    EXPECT_EQ(none.factor(0, ranks / 2, 0), 1);
  }
}

// Of a pipeline all ranks send in the middle of it, but only the root sends at first.
TEST(Taper, IsLessInRoundsInWhichOnlyAShareOfTheRanksSendsSoFar) {
  const std::array factors{4.0, 8.0, 16.0};
  Taper taper(factors, ranks);
  taper.count(Call(choose::parse_algorithm(Collective::bcast, "circulant(blocks=64)"),
                   {.p = ranks, .m = 64 * ranks}),
              [](int rank) { return rank; });
  const auto most = [&](int first, int last) {
    double greatest = 0;
    for (int round = first; round <= last; ++round) {
      greatest = std::max(greatest, taper.factor(0, ranks / 2, round));
    }
    return greatest;
  };
  EXPECT_EQ(most(0, 1), 1);
  EXPECT_EQ(most(20, 50), 16);
  EXPECT_EQ(most(1000, 1000), 1);
}

}  // namespace
}  // namespace roundelay::interpret
