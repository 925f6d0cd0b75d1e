// SPDX-License-Identifier: Apache-2.0
#include "interpret/taper.hpp"

#include <gtest/gtest.h>

#include "choose/spelling.hpp"

namespace roundelay::interpret {
namespace {

constexpr int ranks = 512;

TEST(Taper, GrowsWithThePowerOfTheDistanceEitherWayRound) {
  for (const double exponent : {0.125, 0.25, 0.375, 0.5, 0.875, 1.0, 1.625}) {
    const Taper taper(exponent, ranks);
    EXPECT_NEAR(taper.factor(3, 67), std::pow(64, exponent), 1e-9) << exponent;
    EXPECT_EQ(taper.factor(3, 67), taper.factor(67, 3));
    EXPECT_EQ(taper.factor(0, ranks - 2), taper.factor(0, 2));
    EXPECT_EQ(taper.factor(5, 6), 1);
  }
}

TEST(Taper, OfNothingIsNone) {
  const Taper none(0, ranks);
  EXPECT_FALSE(none.any());
  EXPECT_EQ(none.factor(0, ranks / 2), 1);
}

// Of a binomial tree half of the ranks send, each to the next one: a quarter of them two on, ..
TEST(Taper, IsLessWhereOnlyAShareOfTheRanksSendsSoFar) {
  const auto place_of = [](int rank) { return rank; };
  const auto seen = [&](Collective collective, const char* algorithm) {
    Taper taper(1, ranks);
    taper.count(Call(choose::parse_algorithm(collective, algorithm), {.p = ranks, .m = ranks}),
                place_of);
    return taper.factor(0, ranks / 2);
  };
  EXPECT_EQ(seen(Collective::allgather, "recursive_doubling"), ranks / 2);
  EXPECT_LT(seen(Collective::bcast, "binomial"), ranks / 8);
}

}  // namespace
}  // namespace roundelay::interpret
