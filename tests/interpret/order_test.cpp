// SPDX-License-Identifier: Apache-2.0
// The order in which algorithms combine, and whether it is as fixed as they claim.
#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue_cases.hpp"
#include "choose/chooser.hpp"
#include "choose/deterministic.hpp"
#include "interpret/expressions.hpp"
#include "interpret/prove.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

// Who keeps the order of a part that keeps one does not say so.
bool leaves_it_to_a_part(const Choice& choice) {
  return std::ranges::any_of(choice.values, [&](const Choice::Value& value) {
    return value.algorithm != nullptr && reduces(value.algorithm->algorithm->collective) &&
           !choice.algorithm->fixed_order;
  });
}

std::vector<Choice> all_that_combine() {
  std::vector<Choice> all = all_variants();
  std::erase_if(all, [](const Choice& one) {
    return !reduces(one.algorithm->collective) || leaves_it_to_a_part(one);
  });
  return all;
}

class OfCombining : public testing::TestWithParam<Choice> {};

// Both ways: who keeps a fixed order says so.
TEST_P(OfCombining, ClaimsAFixedOrderIfItKeepsOne) {
  bool fixed = !GetParam().algorithm->needs(Restriction::commutative);
  for (int p = 3; p <= 12; ++p) {
    const Proof proof = prove(GetParam(), p);
    ASSERT_TRUE(proof.ok) << proof.error;
    fixed = fixed && is_fixed(GetParam().algorithm->collective, p, proof.orders);
  }
  EXPECT_EQ(GetParam().algorithm->fixed_order, fixed);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OfCombining, testing::ValuesIn(all_that_combine()), test_name);

TEST(Order, IsThatOfTheTreeAndOfNothingElse) {
  Expressions one(4, true);
  Expressions other(4, true);
  const auto pair = one.combine(0, 1);
  ASSERT_TRUE(one.combine(1, 2));
  const auto detour = other.combine(2, 3);
  const auto same_pair = other.combine(0, 1);
  ASSERT_TRUE(pair && detour && same_pair);
  EXPECT_NE(*pair, *same_pair);
  EXPECT_EQ(one.order(*pair), other.order(*same_pair));
  EXPECT_NE(one.order(*pair), one.order(*one.combine(1, 0)));
  // (0 1) 2 and 0 (1 2)
  EXPECT_NE(one.order(*one.combine(*pair, 2)), one.order(*one.combine(0, *one.combine(1, 2))));
}

TEST(Order, OneAlgorithmOfEveryCollectiveIsDeterministicForAllThatIsCalled) {
  for (const Collective collective : collectives) {
    if (!reduces(collective)) continue;
    const Algorithm& algorithm = choose::deterministic_algorithm(collective);
    EXPECT_TRUE(algorithm.fixed_order) << name_of(collective);
    EXPECT_TRUE(algorithm.restrictions.empty()) << name_of(collective);
  }
}

}  // namespace
}  // namespace roundelay::interpret
