// SPDX-License-Identifier: Apache-2.0
#include "mpi/network_speed.hpp"

#include <gtest/gtest.h>

namespace roundelay::mpi {
namespace {

std::vector<double> known(const std::vector<double>& ratios) {
  NetworkSpeed speed;
  speed.taper = NetworkSpeed::coded_taper(ratios);
  return speed.taper_factors();
}

TEST(Taper, IsKnownInFourthsOfPowersOfTwo) {
  EXPECT_EQ(known({2, 4.1, 3.9, 16}), (std::vector<double>{2, 4, 4, 16}));
  const std::vector<double> some = known({1.7, 24});
  EXPECT_NEAR(some.at(0), 1.7, 0.17);
  EXPECT_NEAR(some.at(1), 24, 2.4);
}

TEST(Taper, OfWhatIsNoiseIsOne) {
  EXPECT_EQ(known({0.1, 0.9, 1.4}), (std::vector<double>{1, 1, 1}));
}

TEST(Taper, OfTheGreatestRatiosAndDistancesFits) {
  const std::vector<double> great = known(std::vector<double>(20, 1e9));
  EXPECT_EQ(great.size(), NetworkSpeed::tapers);
  for (const double factor : great) EXPECT_GT(factor, 100);
}

TEST(Taper, IsNoneBeforeItIsMeasured) { EXPECT_TRUE(NetworkSpeed().taper_factors().empty()); }

}  // namespace
}  // namespace roundelay::mpi
