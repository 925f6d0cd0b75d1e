// SPDX-License-Identifier: Apache-2.0
#include "mpi/network_speed.hpp"

#include <gtest/gtest.h>

namespace roundelay::mpi {
namespace {

double exponent(double ratio, int distance) {
  NetworkSpeed speed;
  speed.taper = NetworkSpeed::coded_taper(ratio, distance);
  return speed.taper_exponent();
}

// A tree with half of the links at its top: twice as long to half of the nodes further on, however
// many these are.
TEST(Taper, OfALargeNetworkThatIsTwiceAsSlowFarAwayIsSeen) {
  EXPECT_EQ(exponent(2, 4), 0.5);
  EXPECT_EQ(exponent(2, 16), 0.25);
  EXPECT_EQ(exponent(2, 512), 0.125);
  EXPECT_EQ(exponent(2, 5000), 0.125);
}

TEST(Taper, OfWhatIsNoiseIsNone) {
  for (const int distance : {2, 4, 32, 512}) {
    EXPECT_EQ(exponent(0.9, distance), 0);
    EXPECT_EQ(exponent(1.4, distance), 0);
  }
}

TEST(Taper, IsAtMostTheSquareOfTheDistance) { EXPECT_EQ(exponent(1e9, 8), 2); }

TEST(Taper, IsNoneBeforeItIsMeasured) { EXPECT_EQ(NetworkSpeed().taper_exponent(), 0); }

}  // namespace
}  // namespace roundelay::mpi
