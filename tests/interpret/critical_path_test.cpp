// SPDX-License-Identifier: Apache-2.0
#include "interpret/critical_path.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue_cases.hpp"
#include "choose/spelling.hpp"
#include "interpret/exact_length.hpp"
#include "interpret/price.hpp"
#include "interpret/shapes.hpp"

namespace roundelay::interpret {
namespace {

constexpr double no_end = std::numeric_limits<double>::infinity();

double seconds(const Choice& choice, const Case& of, const Link& link, int transfers = 1 << 24) {
  RunBudget budget{no_end, transfers};
  return critical_path(choice, of, link, budget).value().seconds;
}
// E.g. "bcast=chain(blocks=30)".
Choice choice_of(std::string_view text) {
  const auto equals = text.find('=');
  return choose::parse_algorithm(*find_collective(text.substr(0, equals)), text.substr(equals + 1));
}
double seconds(std::string_view name, const Case& of, const Link& link, int transfers = 1 << 24) {
  return seconds(choice_of(name), of, link, transfers);
}

class CriticalPathOfCatalogue : public testing::TestWithParam<Choice> {};

// Both are runs of the schedules, the one by events in the order of time, of all ranks, the other
// by what waits for what, and of one rank where the schedule is symmetric.
TEST_P(CriticalPathOfCatalogue, IsThePriceWherePacedRanksHaveOnePort) {
  const Claims claims = GetParam().claims();
  for (const int p : ranks_tried(GetParam())) {
    for (const Case& shape : shapes_of(GetParam(), p)) {
      if (claims.ports({.p = p, .m = 1, .q = shape.q, .topology = &shape.topology}) > 1) continue;
      Case of = shape;
      of.m = exact_length(GetParam(), p);
      if (violated(GetParam(), circumstances_of(of)) != nullptr) continue;
      const double priced = price(GetParam(), of, {.alpha = 3, .beta = 0.25, .gamma = 0.1});
      const Link link{.startup = 3, .byte = 0.25, .combined_byte = 0.1, .paced = true};
      EXPECT_NEAR(seconds(GetParam(), of, link), priced, 1e-6 * (1 + priced)) << "p = " << p;
    }
  }
}

TEST_P(CriticalPathOfCatalogue, IsNoLongerWhereRoundsOverlap) {
  for (const int p : {2, 5, 8}) {
    for (const Case& shape : shapes_of(GetParam(), p)) {
      Case of = shape;
      of.m = exact_length(GetParam(), p);
      if (violated(GetParam(), circumstances_of(of)) != nullptr) continue;
      const double early = seconds(GetParam(), of, {.startup = 3, .byte = 0.25});
      const double paced = seconds(GetParam(), of, {.startup = 3, .byte = 0.25, .paced = true});
      EXPECT_LE(early, paced * (1 + 1e-9)) << "p = " << p;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, CriticalPathOfCatalogue, testing::ValuesIn(all_variants()),
                         test_name);

// Start-ups that are waited for, one after the other.
TEST(CriticalPath, OfMessagesThatDoNotWaitIsOneStartup) {
  const Link startups{.startup = 1, .eager = 1000};
  EXPECT_EQ(seconds("alltoall=scattered", {.p = 9, .m = 90}, startups), 1);
  EXPECT_EQ(seconds("alltoall=scattered(throttle=2)", {.p = 9, .m = 90}, startups), 4);
  EXPECT_EQ(seconds("gather=linear", {.p = 9, .m = 90}, startups), 1);
  EXPECT_EQ(seconds("allgather=ring", {.p = 9, .m = 90}, startups), 8);
  EXPECT_EQ(seconds("bcast=binomial", {.p = 9, .m = 90}, startups), 3);
  // The blocks follow each other.
  EXPECT_EQ(seconds("bcast=chain(blocks=30)", {.p = 9, .m = 90}, startups), 8);
  EXPECT_EQ(seconds("bcast=chain(blocks=30)", {.p = 9, .m = 90}, {.startup = 1, .paced = true}),
            8 + 29);
}

TEST(CriticalPath, OfMessagesThatDoNotWaitHasAGapForEach) {
  const Link link{.startup = 10, .gap = 1, .eager = 1000};
  EXPECT_EQ(seconds("gather=linear", {.p = 9, .m = 9}, link), 10 + 7);
  EXPECT_EQ(seconds("bcast=chain(blocks=30)", {.p = 9, .m = 90}, link), 8 * 10 + 29);
}

// The next block arrives while one is combined, but not where the rank itself moves both.
TEST(CriticalPath, OfAPipelineIsLongerWhereRanksMoveTheBytes) {
  const Case of{.p = 2, .m = 1000};
  const Link link{.byte = 1, .combined_byte = 1, .eager = 1000};
  Link moved = link;
  moved.moved_by_ranks = true;
  EXPECT_LT(seconds("allreduce=dual_root(blocks=50)", of, link), 1200);
  EXPECT_GE(seconds("allreduce=dual_root(blocks=50)", of, moved), 2000);
  EXPECT_EQ(seconds("allreduce=ring", of, moved), seconds("allreduce=ring", of, link));
}

// Rounds wait for each other where partners change sooner than rounds_in_flight.
TEST(CriticalPath, OfOtherPartnersHasAStartupForEach) {
  const Link startups{.startup = 1, .eager = 1000};
  EXPECT_EQ(seconds("alltoall=pairwise(pieces=1)", {.p = 9, .m = 90}, startups), 8);
  EXPECT_EQ(seconds("reduce_scatter=pairwise", {.p = 9, .m = 90}, startups), 8);
}

// Of a message that needs no receiver yet.
TEST(CriticalPath, OfShortMessagesIsShorterWhereTheirReceiverIsLate) {
  const Case of{.p = 9, .m = 9};
  EXPECT_LT(seconds("reduce=linear", of, {.startup = 1, .eager = 9}),
            seconds("reduce=linear", of, {.startup = 1}));
}

// Blocks of 100 units go to ranks 1, 2 and 4 away, one, two and four of them: on a ring as many
// messages share a link, and pass as many.
TEST(CriticalPath, OnATorusSharesLinksAndPassesSeveral) {
  const Case of{.p = 8, .m = 800};
  const Link flat{.startup = 10, .byte = 1, .paced = true};
  const auto on = [&](std::string_view name, std::vector<int> torus) {
    Link link = flat;
    link.torus = std::move(torus);
    link.hop = 3;
    return seconds(name, of, link);
  };
  for (const char* const name : {"allgather=recursive_doubling", "allgather=bruck"}) {
    EXPECT_EQ(seconds(name, of, flat), 3 * 10 + 700) << name;
    EXPECT_EQ(on(name, {8}), 3 * 10 + 3 * (1 + 3) + 100 * (1 + 2 * 2 + 4 * 4)) << name;
    EXPECT_EQ(on(name, {4}), seconds(name, of, flat)) << name;  // another number of ranks
  }
  EXPECT_EQ(on("allgather=recursive_doubling", {2, 2, 2}), 3 * 10 + 700);
}

TEST(CriticalPath, OnATorusUsesTheLinksOfARankAtOnce) {
  const Link flat{.byte = 1, .eager = 1000};
  Link ring = flat;
  ring.torus = {5};
  const Case of{.p = 5, .m = 500};
  EXPECT_EQ(seconds("scatter=linear", of, flat), 400);
  EXPECT_EQ(seconds("scatter=linear", of, ring), 200);
  EXPECT_EQ(seconds("gather=linear", of, ring), 200);
  // Both dimensions and both directions: a quarter each, but a message of two links.
  Link torus = flat;
  torus.torus = {4, 4};
  const Case square{.p = 16, .m = 1600};
  EXPECT_LT(seconds("allreduce=swing(x=4)", square, torus),
            seconds("allreduce=swing", square, torus));
  EXPECT_LT(seconds("allreduce=swing(x=4)", square, torus), 2 * 1600 / 2);
}

TEST(CriticalPath, IsLongerWhereRanksSendEachOtherLongMessages) {
  const Case of{.p = 8, .m = 800};
  const Link link{.byte = 1, .unsteady = {.pairing = 2, .crossing = 200}};
  // Of 100, 200 and 400 units; but the first begins for all at once.
  EXPECT_EQ(seconds("allgather=recursive_doubling", of, link), 100 + 2 * (200 + 400));
  EXPECT_EQ(seconds("allreduce=recursive_doubling", of, link), 800 + 2 * 2 * 800);
  EXPECT_EQ(seconds("allgather=ring", of, link), 700);
}

TEST(CriticalPath, IsLongerWherePartnersChange) {
  const Case of{.p = 9, .m = 900};
  const Link link{.byte = 1, .unsteady = {.drift = 1.5}};
  EXPECT_EQ(seconds("allgather=ring", of, link), 800);
  EXPECT_EQ(seconds("reduce_scatter=pairwise", of, link), 1.5 * 800);
  EXPECT_EQ(seconds("alltoall=pairwise(pieces=1)", of, link), 1.5 * 800);
  EXPECT_EQ(seconds("alltoall=pairwise(pieces=4)", of, link), 800);
  EXPECT_EQ(seconds("bcast=chain(blocks=9)", of, link), 900 + 7 * 100);
  const Link absorbing{.byte = 1, .unsteady = {.drift = 1.5, .absorbed = 600}};
  EXPECT_EQ(seconds("reduce_scatter=pairwise", of, absorbing), 800 + 0.5 * 200);
}

// In a pipeline blocks wait behind each other, whatever buffers hold.
TEST(CriticalPath, OfAPipelineIsShorterOnlyWhereBlocksAreCombined) {
  const Case of{.p = 8, .m = 8000};
  const Link steady{.byte = 1};
  const Link link{.byte = 1, .unsteady = {.drift = 2, .absorbed = 8000}};
  EXPECT_GT(seconds("bcast=circulant(blocks=80)", of, link),
            1.9 * seconds("bcast=circulant(blocks=80)", of, steady));
  EXPECT_LT(seconds("reduce=circulant(blocks=80)", of, link),
            1.1 * seconds("reduce=circulant(blocks=80)", of, steady));
}

TEST(CriticalPath, IsLongerWhereMessagesQueueAtBothEnds) {
  const Link link{.byte = 1, .unsteady = {.queueing = 1.2}};
  EXPECT_DOUBLE_EQ(seconds("alltoall=scattered", {.p = 9, .m = 900}, link), 1.2 * 800);
  EXPECT_DOUBLE_EQ(seconds("gather=linear", {.p = 9, .m = 900}, link), 800);
}

TEST(CriticalPath, OfUnevenBlocksWaitsForTheLongest) {
  const Case of{.p = 8, .m = 800, .longest = 730};
  EXPECT_EQ(seconds("allgatherv=ring", of, {.byte = 1}), 7 * 730);
  EXPECT_LT(seconds("allgatherv=circulant(blocks=9)", of, {.byte = 1}), 2 * 730);
}

// Of a run that is cut short the ranks go on from where they are.
TEST(CriticalPath, TakesAboutAsLongByFewTransfers) {
  const Link link{.startup = 100, .gap = 10, .byte = 1, .combined_byte = 0.1};
  for (const char* name :
       {"bcast=circulant(blocks=64)", "bcast=chain(blocks=64)", "bcast=binomial", "gather=binomial",
        "reduce=circulant(blocks=64)", "allreduce=recursive_doubling", "allreduce=rabenseifner"}) {
    const Case of{.p = 200, .m = 64000};
    const double all = seconds(name, of, link);
    EXPECT_NEAR(seconds(name, of, link, 1200), all, 0.35 * all) << name;
  }
}

TEST(CriticalPath, IsGivenUpOnceItTakesTooLong) {
  const Choice chain = choice_of("bcast=chain");
  const Case of{.p = 1000, .m = 1 << 20};
  RunBudget budget{50, 1 << 24};
  EXPECT_FALSE(critical_path(chain, of, {.startup = 1}, budget));
  // The first block gets no farther.
  EXPECT_GT(budget.transfers, (1 << 24) - 2000);
}

TEST(CriticalPath, OfSymmetricRanksNeedsNoTransfers) {
  RunBudget budget{no_end, 1};
  const auto path = critical_path(choice_of("alltoall=pairwise(pieces=1)"),
                                  {.p = 4096, .m = 4096 * 8}, {.byte = 1}, budget);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->seconds, 4095 * 8);
  EXPECT_EQ(budget.transfers, 1);
}

}  // namespace
}  // namespace roundelay::interpret
