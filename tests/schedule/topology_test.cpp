// SPDX-License-Identifier: Apache-2.0
#include "schedule/topology.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace roundelay {
namespace {

std::vector<int> members(const Partition& partition, int part) {
  const auto some = partition.members(part);
  return {some.begin(), some.end()};
}

TEST(Partition, NumbersPartsByTheirLowestRanks) {
  const Partition some = Partition::by(std::vector<std::uint64_t>{70, 5, 70, 9, 5, 70});
  EXPECT_EQ(some.count(), 3);
  EXPECT_EQ(some.ranks(), 6);
  EXPECT_EQ(members(some, 0), (std::vector{0, 2, 5}));
  EXPECT_EQ(members(some, 1), (std::vector{1, 4}));
  EXPECT_EQ(members(some, 2), (std::vector{3}));
  EXPECT_EQ(some.part_of(4), 1);
  EXPECT_EQ(some.place_of(4), 1);
  EXPECT_EQ(some.largest(), 3);
  EXPECT_EQ(some.smallest(), 1);
  EXPECT_EQ(some.before(2), 5);
  EXPECT_FALSE(some.consecutive());
  EXPECT_EQ(some.text(), "abacba");
}

TEST(Partition, OfConsecutiveRanksIsWrittenBySizes) {
  const Partition some = Partition::by(std::vector{4, 4, 1, 1, 1});
  EXPECT_TRUE(some.consecutive());
  EXPECT_EQ(some.text(), "2+3");
}

TEST(Partition, DoesNotDependOnLabels) {
  EXPECT_EQ(Partition::by(std::vector{1, 2, 1}), Partition::by(std::vector{9, 3, 9}));
  EXPECT_NE(Partition::by(std::vector{1, 2, 1}), Partition::by(std::vector{1, 2, 2}));
}

TEST(Partition, OfNothingIsNotKnown) {
  EXPECT_FALSE(Partition().known());
  EXPECT_EQ(Partition().count(), 0);
}

}  // namespace
}  // namespace roundelay
