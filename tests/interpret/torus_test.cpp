// SPDX-License-Identifier: Apache-2.0
#include "interpret/torus.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace roundelay::interpret {
namespace {

using Links = std::vector<std::pair<int, std::size_t>>;

Links links_between(const Torus& torus, int from, int to) {
  Links passed;
  torus.for_each_link(
      from, to, [&](int place, std::size_t direction) { passed.emplace_back(place, direction); });
  return passed;
}

TEST(Torus, AMessagePassesOneDimensionAfterTheOtherTheShorterWay) {
  const Torus torus({4, 3});
  EXPECT_EQ(torus.places(), 12);
  EXPECT_EQ(torus.directions(), 4U);
  EXPECT_EQ(links_between(torus, 0, 11), (Links{{0, 1}, {3, 3}}));
  EXPECT_EQ(links_between(torus, 11, 0), (Links{{11, 0}, {8, 2}}));
  EXPECT_EQ(links_between(torus, 1, 3), (Links{{1, 0}, {2, 0}}));  // both ways are as long
  EXPECT_EQ(links_between(torus, 7, 7), Links{});
}

TEST(Torus, HopsAreTheLinksThatAMessagePasses) {
  for (const Torus& torus : {Torus({7}), Torus({8}), Torus({4, 3}), Torus({2, 5, 4})}) {
    for (int from = 0; from < torus.places(); ++from) {
      for (int to = 0; to < torus.places(); ++to) {
        EXPECT_EQ(torus.hops(from, to), static_cast<int>(links_between(torus, from, to).size()));
      }
    }
  }
}

}  // namespace
}  // namespace roundelay::interpret
