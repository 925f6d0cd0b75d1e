// SPDX-License-Identifier: Apache-2.0
#include "interpret/expressions.hpp"

#include <gtest/gtest.h>

namespace roundelay::interpret {
namespace {

TEST(Expressions, TheSameOperandsGiveTheSame) {
  Expressions e(4, true);
  EXPECT_EQ(e.combine(0, 1), e.combine(0, 1));
  EXPECT_NE(e.combine(0, 1), e.combine(1, 0));
}

TEST(Expressions, EachRankCountsOnce) {
  Expressions e(6, true);
  const Expression even = *e.combine(*e.combine(0, 4), 2);
  EXPECT_EQ(e.text(even), "ranks 0, 2, 4");
  EXPECT_EQ(e.combine(even, 4), std::nullopt);
  EXPECT_EQ(e.combine(3, 3), std::nullopt);
  const Expression odd = *e.combine(5, *e.combine(1, 3));
  EXPECT_FALSE(e.is_of(odd, 0, 6));
  EXPECT_TRUE(e.is_of(*e.combine(odd, even), 0, 6));
}

TEST(Expressions, IntervalsMayWrapIfTheOperationCommutes) {
  Expressions e(5, true);
  const Expression wrapped = *e.combine(4, 0);
  EXPECT_EQ(e.text(wrapped), "ranks 4 to 0");
  EXPECT_EQ(e.combine(wrapped, 0), std::nullopt);
  EXPECT_TRUE(e.is_of(*e.combine(wrapped, *e.combine(*e.combine(1, 2), 3)), 0, 5));
}

TEST(Expressions, OrderIsKeptIfItDoesNot) {
  Expressions e(4, false);
  EXPECT_TRUE(e.combine(1, 2).has_value());
  EXPECT_EQ(e.combine(2, 1), std::nullopt);
  EXPECT_EQ(e.combine(3, 0), std::nullopt);
  EXPECT_EQ(e.combine(0, 2), std::nullopt);
  EXPECT_TRUE(e.is_of(*e.combine(*e.combine(0, 1), *e.combine(2, 3)), 0, 4));
  EXPECT_TRUE(e.is_of(*e.combine(1, 2), 1, 2));
  EXPECT_FALSE(e.is_of(*e.combine(1, 2), 0, 2));
}

// More than one word of bits, and more pairs than the table begins with.
TEST(Expressions, ManyRanks) {
  constexpr int p = 200;
  Expressions e(p, true);
  Expression even = 0;
  Expression odd = 1;
  for (int rank = 2; rank < p; rank += 2) {
    even = *e.combine(even, static_cast<Expression>(rank));
    odd = *e.combine(static_cast<Expression>(rank + 1), odd);
  }
  for (Expression a = 0; a < 40; ++a) {
    for (Expression b = 40; b < 80; ++b) ASSERT_TRUE(e.combine(a, b).has_value());
  }
  EXPECT_EQ(e.combine(even, 198), std::nullopt);
  EXPECT_TRUE(e.is_of(*e.combine(even, odd), 0, p));
}

}  // namespace
}  // namespace roundelay::interpret
