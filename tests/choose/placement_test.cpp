// SPDX-License-Identifier: Apache-2.0
#include "choose/placement.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "choose/spelling.hpp"

namespace roundelay::choose {
namespace {

TEST(Placement, IsOfSizesOrOfLetters) {
  EXPECT_EQ(parse_placement("2+3"), (std::vector{0, 0, 1, 1, 1}));
  EXPECT_EQ(parse_placement("abca"), (std::vector{0, 1, 2, 0}));
  for (const char* wrong : {"", "2+", "+2", "0+1", "2x1", "ab1", "-1", "2+99999999999"}) {
    EXPECT_THROW(static_cast<void>(parse_placement(wrong)), SpellingError) << wrong;
  }
}

TEST(Placement, IsOfHostsByPatternsOfWhichTheFirstCounts) {
  const Placement placement = Placement::read("north: n1 n2?; south: n* s[0-9]  # a remark");
  EXPECT_EQ(placement.ranks(), 0);
  EXPECT_EQ(placement.part_of(0, "n1"), 0);
  EXPECT_EQ(placement.part_of(0, "n27"), 0);
  EXPECT_EQ(placement.part_of(0, "n2"), 1);
  EXPECT_EQ(placement.part_of(0, "s3"), 1);
  EXPECT_EQ(placement.part_of(0, "elsewhere"), 2);
  EXPECT_TRUE(placement.mentions("s3"));
  EXPECT_FALSE(placement.mentions("elsewhere"));
}

TEST(Placement, OfNothingIsNotGiven) {
  EXPECT_FALSE(Placement::read("").given());
  EXPECT_TRUE(Placement::read("1+1").given());
  EXPECT_EQ(Placement::read("1+1").ranks(), 2);
}

TEST(Placement, OfHostsNeedsANameAndPatterns) {
  for (const char* wrong : {"north:", ": n1", "north: n1; south"}) {
    EXPECT_THROW(static_cast<void>(Placement::read(wrong)), SpellingError) << wrong;
  }
}

}  // namespace
}  // namespace roundelay::choose
