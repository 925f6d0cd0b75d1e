// SPDX-License-Identifier: Apache-2.0
#include "algorithms/formula.hpp"

#include <gtest/gtest.h>

namespace roundelay {
namespace {

TEST(Formula, IsComputed) {
  EXPECT_EQ((m() * (p() - 1) / p())(5, 100), 80);
  EXPECT_EQ((ceil_log2(p()) + 2)(9, 0), 6);
  EXPECT_EQ(floor_log2(p())(9, 0), 3);
  EXPECT_EQ(exp2(floor_log2(p()))(9, 0), 8);
  EXPECT_EQ(ceil_log2(p())(1, 0), 0);
  EXPECT_EQ(ceil_log2(p())(8, 0), 3);
  EXPECT_EQ(ceil(m() / p())(3, 10), 4);
  EXPECT_EQ(floor(m() / p())(3, 10), 3);
  EXPECT_EQ(min(m(), p())(3, 10), 3);
  EXPECT_EQ(max(m(), p())(3, 10), 10);
  EXPECT_EQ(if_power_of_two(Formula(1), Formula(2))(4, 0), 1);
  EXPECT_EQ(if_power_of_two(Formula(1), Formula(2))(6, 0), 2);
  EXPECT_EQ(if_many(p())(1, 0), 0);
  EXPECT_EQ(if_many(p())(2, 0), 2);
}

TEST(Formula, IsWrittenAsAPersonWould) {
  EXPECT_EQ((m() * (p() - 1) / p()).text(), "m (p - 1) / p");
  EXPECT_EQ((2 * ceil_log2(p()) + m()).text(), "2 ceil_log2(p) + m");
  EXPECT_EQ((m() - (p() - 1)).text(), "m - (p - 1)");
  EXPECT_EQ((m() / (p() / 2)).text(), "m / (p / 2)");
  EXPECT_EQ(((m() + 1) * p()).text(), "(m + 1) p");
  EXPECT_EQ(min(m(), p()).text(), "min(m, p)");
}

TEST(Formula, IsOfAPart) {
  const Formula part = Formula::of_part(ceil_log2(p()) * m(), ceil(q() / p()) + 1, m() / p());
  EXPECT_EQ(part.text(), "ceil_log2(ceil(q / p) + 1) m / p");
  EXPECT_EQ(part({.p = 2, .m = 10, .q = 6}), 2 * 5);
  const Formula many = Formula::of_part(if_many(p() - 1), q(), m());
  EXPECT_EQ(many.text(), "q - 1");
  EXPECT_EQ(many({.p = 4, .q = 1}), 0);
  EXPECT_EQ(many({.p = 1, .q = 4}), 3);
}

TEST(Formula, OfAPartNamesItsRanksAndUnits) {
  const Formula claim = if_power_of_two(ceil_log2(p()), p());
  const Formula part = Formula::of_part(claim, q(), m());
  EXPECT_EQ(part.text(), "ceil_log2(q) if q is a power of two, else q");
  EXPECT_EQ(part({.p = 3, .q = 4}), 2);
  EXPECT_EQ(part({.p = 4, .q = 3}), 3);
  const Formula named = Formula::of("rounds(p, m)", [](const Dimensions& of) { return of.m; });
  EXPECT_EQ(Formula::of_part(named, q(), m() / p()).text(), "rounds(q, m / p)");
}

TEST(Formula, OfAnEvenPartKnowsTheRealLength) {
  const Formula chosen =
      Formula::of("blocks", [](const Dimensions& of) { return of.chosen_by().m; });
  const Formula part = Formula::of_even_part(m() + chosen, q(), m());
  EXPECT_EQ(part({.p = 2, .m = 7, .q = 3}), 9 + 7);
  const Dimensions real{.p = 2, .m = 7, .q = 3};
  EXPECT_EQ(part({.p = 2, .m = 8, .q = 3, .real = &real}), 9 + 7);
}

TEST(Formula, WritesOnceWhatReadsAlike) {
  EXPECT_EQ(max(p() + m(), p() + m()).text(), "p + m");
  EXPECT_EQ((2 * max(p() + m(), p() + m())).text(), "2 (p + m)");
}

TEST(Formula, LeavesOutWhatChangesNothing) {
  EXPECT_EQ((0 + p()).text(), "p");
  EXPECT_EQ((p() - 0).text(), "p");
  EXPECT_EQ((1 * p()).text(), "p");
  EXPECT_EQ(Formula().text(), "0");
  EXPECT_EQ((p() * 0 + m() / 1).text(), "m");
  EXPECT_EQ(ceil(ceil(m() / p()) + 1).text(), "ceil(m / p) + 1");
  EXPECT_EQ(max(Formula(0), p() - 1).text(), "p - 1");
  EXPECT_EQ(max(Formula(0), p() - 4).text(), "max(0, p - 4)");
  EXPECT_EQ(if_power_of_two(p() + 0, p()).text(), "p");
}

TEST(Formula, ComputesItsConstants) {
  EXPECT_EQ((p() + 1 - 1).text(), "p");
  EXPECT_EQ((p() - 1 + m() + 3).text(), "p + 2 + m");
  EXPECT_EQ((p() - 3 + 1).text(), "p - 2");
  EXPECT_EQ((2 * (3 * p())).text(), "6 p");
  EXPECT_EQ(max(Formula(1), Formula(1)).text(), "1");
  EXPECT_EQ(max(max(max(Formula(1), p()), Formula(3)), p()).text(), "max(3, p)");
  EXPECT_EQ(min(Formula(4), Formula(2)).text(), "2");
  EXPECT_EQ(ceil_log2(Formula(9)).text(), "4");
  EXPECT_EQ(((p() + 1) * m() / (p() + 1)).text(), "m");
  EXPECT_EQ((0 - p()).text(), "0 - p");
}

TEST(Formula, JoinsLikeTerms) {
  const Formula moved = m() * (p() - 1) / p();
  EXPECT_EQ((moved + moved).text(), "2 m (p - 1) / p");
  EXPECT_EQ((moved + q() + 2 * moved - 1).text(), "3 m (p - 1) / p + q - 1");
  EXPECT_EQ((ceil_log2(p()) + 1 + ceil_log2(q()) + ceil_log2(p())).text(),
            "2 ceil_log2(p) + 1 + ceil_log2(q)");
  EXPECT_EQ((p() - 2 + q() + p()).text(), "2 p - 2 + q");
  EXPECT_EQ((3 * p() - 2 * p()).text(), "p");
  EXPECT_EQ((p() + m() - p()).text(), "m");
  EXPECT_EQ((p() - p()).text(), "0");
  EXPECT_EQ((m() / p() + 2 / p()).text(), "m / p + 2 / p");
  EXPECT_EQ((moved + moved)(5, 100), 160);
}

TEST(Formula, SaysTheValueForMoreThanOneRank) {
  EXPECT_EQ(min(Formula(1), p() - 1).text(), "1");
  EXPECT_EQ(max(Formula(1), p() - 1).text(), "p - 1");
  EXPECT_EQ(min(Formula(1), q() - 1).text(), "min(1, q - 1)");
  EXPECT_EQ(min(Formula(3), p()).text(), "min(3, p)");
}

TEST(Formula, IsWrittenAsAnother) {
  const auto seven = [](const Dimensions&) { return 7.0; };
  const Formula stage = Formula::written_as(p() - 1, seven);
  EXPECT_EQ((stage + 1).text(), "p");
  EXPECT_EQ((2 * stage).text(), "2 (p - 1)");
  EXPECT_EQ((2 * stage)(3, 0), 14);
  EXPECT_EQ(Formula::of_part(stage, q(), m()).text(), "q - 1");
  EXPECT_EQ((Formula::written_as(0, seven) + Formula::written_as(0, seven)).text(), "0");
}

// Of the same call, as they are written and as they are computed.
TEST(Formula, ReadsAsItIsComputed) {
  const Formula whole = (p() + 1 - 1) * m() / (p() + 2) + max(max(Formula(1), p() - 1), Formula(2));
  EXPECT_EQ(whole.text(), "p m / (p + 2) + max(2, p - 1)");
  EXPECT_EQ(whole(8, 5), 8 * 5 / 10 + 7);
}

}  // namespace
}  // namespace roundelay
