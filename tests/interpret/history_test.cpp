// SPDX-License-Identifier: Apache-2.0
#include "interpret/history.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "catalogue_cases.hpp"
#include "interpret/cases.hpp"
#include "interpret/price.hpp"

namespace roundelay::interpret {
namespace {

Trace trace_of(Collective collective, std::string_view name, const Case& of) {
  return trace(Choice(*find(collective, name)), of);
}

TEST(History, TellsWhatIsHeldAndSent) {
  const History told = history(trace_of(Collective::bcast, "binomial", {.p = 3, .m = 4}));
  EXPECT_EQ(told.steps, 2);
  ASSERT_EQ(told.ranks.size(), 3U);
  EXPECT_TRUE(told.ranks[1].front().holds.empty());
  const HeldState& end = told.ranks[1].back();
  ASSERT_EQ(end.holds.size(), 1U);
  EXPECT_EQ(end.holds[0].where, Slice(Space::output, 0, 4));
  EXPECT_EQ(end.holds[0].what.ranks, std::vector<int>{0});
  EXPECT_TRUE(end.holds[0].needed);
  ASSERT_EQ(told.deliveries.size(), 2U);
  EXPECT_EQ(told.deliveries[0].to, 2);
  EXPECT_EQ(told.deliveries[1].to, 1);
  EXPECT_EQ(told.deliveries[1].step, 1);
  EXPECT_EQ(told.deliveries[1].from_round, 1);
  EXPECT_EQ(told.deliveries[1].to_round, 0);
}

TEST(History, KnowsWhatIsNoLongerNeeded) {
  const History told = history(trace_of(Collective::reduce, "binomial", {.p = 2, .m = 4}));
  EXPECT_TRUE(told.ranks[1].front().holds.at(0).needed);
  EXPECT_FALSE(told.ranks[1].back().holds.at(0).needed);
}

TEST(History, WhatIsDeferredLandsAtItsFence) {
  const Call call(Choice(*find(Collective::bcast, "binomial")), {.p = 2, .m = 8});
  const auto schedules = [](int rank) -> Schedule {
    const Slice data(Space::output, 0, 8);
    if (rank == 0) co_yield round(deferred(send(data, 1), 1));
    if (rank == 1) co_yield round(deferred(recv(data, 0), 1));
    co_yield fence(1);
  };
  const History told = history(trace(call, schedules));
  ASSERT_EQ(told.ranks[1].size(), 3U);
  EXPECT_TRUE(told.ranks[1][1].holds.empty());
  EXPECT_EQ(told.ranks[1][2].holds.size(), 1U);
}

TEST(History, WhatIsDeferredToTheEndIsInTheLastState) {
  const Call call(Choice(*find(Collective::bcast, "binomial")), {.p = 2, .m = 8});
  const auto schedules = [](int rank) -> Schedule {
    const Slice data(Space::output, 0, 8);
    if (rank == 0) co_yield round(deferred(send(data, 1)));
    if (rank == 1) co_yield round(deferred(recv(data, 0)));
  };
  EXPECT_EQ(history(trace(call, schedules)).ranks[1].back().holds.size(), 1U);
}

TEST(History, RefusesWhatCannotBeRun) {
  const Call call(Choice(*find(Collective::bcast, "binomial")), {.p = 2, .m = 8});
  const auto hollow = [](int rank) -> Schedule {
    const Slice data(Space::output, 0, 8);
    if (rank == 0) co_yield round(recv(data, 1));
    if (rank == 1) co_yield round(send(data, 0));
  };
  EXPECT_THROW((void)history(trace(call, hollow)), std::runtime_error);
  const auto stuck = [](int rank) -> Schedule {
    if (rank == 1) co_yield round(recv(Slice(Space::output, 0, 8), 0));
  };
  EXPECT_THROW((void)history(trace(call, stuck)), std::runtime_error);
}

class HistoryOfCatalogue : public testing::TestWithParam<Choice> {};

TEST_P(HistoryOfCatalogue, EndsWithTheResultAndTakesAsManyStepsAsItCosts) {
  for (Case of : cases_of(GetParam(), slow ? 4 : 6)) {
    of.apart = false;  // all that is wanted is one slice
    const Trace traced = trace(GetParam(), of);
    const History told = history(traced);
    for (std::size_t rank = 0; rank < traced.ranks.size(); ++rank) {
      EXPECT_EQ(told.ranks[rank].size(), traced.ranks[rank].rounds.size() + 1);
      const std::vector<Held>& holds = told.ranks[rank].back().holds;
      const Units needed =
          std::accumulate(holds.begin(), holds.end(), Units{0}, [](Units sum, const Held& held) {
            return sum + (held.needed ? held.where.length() : 0);
          });
      EXPECT_EQ(needed, traced.ranks[rank].wanted.length());
    }
    // A step has as many messages at once as the schedule likes: the price of a network with as
    // many ports.
    const double messages = price(GetParam(), of, {.alpha = 1, .ports = of.p * of.p});
    EXPECT_EQ(told.steps, messages);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, HistoryOfCatalogue, testing::ValuesIn(all_variants()),
                         test_name);

}  // namespace
}  // namespace roundelay::interpret
