// SPDX-License-Identifier: Apache-2.0
#include "schedule/schedule.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "schedule/group.hpp"

namespace roundelay {
namespace {

constexpr Slice here(Space::output, 0, 4);
constexpr Slice there(Space::scratch, 0, 4);

// The peers of all transfers, round by round.
std::vector<std::vector<int>> peers(Schedule schedule) {
  std::vector<std::vector<int>> all;
  while (schedule.next()) {
    std::vector<int>& of_round = all.emplace_back();
    for (const Transfer* transfer : schedule.round().transfers) of_round.push_back(transfer->peer);
  }
  return all;
}

Schedule nothing() { co_return; }

Schedule exchange(int first, int last) {
  for (int peer = first; peer <= last; ++peer) {
    co_yield round(send(here, peer), recv(there, peer), combine(there, here), copy(here, there));
  }
}

TEST(Schedule, YieldsWhatTheRoundSays) {
  Schedule schedule = exchange(3, 3);
  ASSERT_TRUE(schedule.next());
  const Round& round = schedule.round();
  ASSERT_EQ(round.transfers.size(), 2U);
  EXPECT_TRUE(round.transfers[0]->sends());
  EXPECT_EQ(round.transfers[0]->peer, 3);
  EXPECT_EQ(*round.transfers[0]->data.begin(), here);
  EXPECT_FALSE(round.transfers[1]->sends());
  EXPECT_EQ(round.transfers[1]->due, this_round);
  ASSERT_EQ(round.steps.size(), 2U);
  EXPECT_EQ(round.steps[0]->kind, LocalStep::Kind::combine);
  EXPECT_EQ(round.steps[0]->from, there);
  EXPECT_EQ(round.steps[0]->into, here);
  EXPECT_EQ(round.steps[1]->kind, LocalStep::Kind::copy);
  EXPECT_EQ(round.fence, this_round);
  EXPECT_FALSE(schedule.next());
}

TEST(Schedule, MayHaveNoRounds) { EXPECT_TRUE(peers(nothing()).empty()); }

TEST(Schedule, CanBeDroppedBeforeItsEnd) {
  Schedule schedule = exchange(0, 9);
  ASSERT_TRUE(schedule.next());
  schedule = exchange(5, 5);
  ASSERT_TRUE(schedule.next());
  EXPECT_EQ(schedule.round().transfers[0]->peer, 5);
}

Schedule inner(int depth) {
  if (depth == 0) co_return;
  co_yield all(exchange(depth, depth));
  co_yield all(inner(depth - 1));
  co_yield all(nothing());
}

Schedule outer() {
  co_yield all(inner(3));
  co_yield round(send(here, 10));
  co_yield all(inner(1));
}

TEST(Schedule, NestsToAnyDepth) {
  const std::vector<std::vector<int>> expected{{3, 3}, {2, 2}, {1, 1}, {10}, {1, 1}};
  EXPECT_EQ(peers(outer()), expected);
}

TEST(Schedule, MayBeDroppedInsideANestedOne) {
  Schedule schedule = outer();
  ASSERT_TRUE(schedule.next());
  ASSERT_TRUE(schedule.next());
  EXPECT_EQ(schedule.round().transfers[0]->peer, 2);
}

Schedule over_lanes(Group g) {
  const Subgroup lane = g.strided(g.rank % 2, 2, g.size / 2);
  co_yield all(
      [](Group lane_group) -> Schedule { co_yield round(send(here, lane_group.right())); }(lane));
}

TEST(Schedule, ComposesOverSubgroups) {
  EXPECT_EQ(peers(over_lanes(Group(5, 6))), (std::vector<std::vector<int>>{{1}}));
  EXPECT_EQ(peers(over_lanes(Group(2, 6))), (std::vector<std::vector<int>>{{4}}));
}

Schedule with_fences() {
  co_yield round(deferred(recv(here, 1), 2), deferred(send(there, 1)));
  co_yield fence(2);
}

TEST(Schedule, FencesAndDeferredTransfers) {
  Schedule schedule = with_fences();
  ASSERT_TRUE(schedule.next());
  EXPECT_EQ(schedule.round().transfers[0]->due, 2);
  EXPECT_EQ(schedule.round().transfers[1]->due, at_the_end);
  ASSERT_TRUE(schedule.next());
  EXPECT_EQ(schedule.round().fence, 2);
  EXPECT_TRUE(schedule.round().transfers.empty());
  EXPECT_FALSE(schedule.next());
}

TEST(Transfer, WithoutDataHappensOnlyAsToken) {
  EXPECT_FALSE(send(Slice(Space::output, 4, 0), 1).happens());
  EXPECT_FALSE(recv(Slices(), 1).happens());
  EXPECT_TRUE(send(here, 1).happens());
  EXPECT_TRUE(send_token(1).happens());
  EXPECT_TRUE(recv_token(1).happens());
  EXPECT_FALSE(recv_token(1).sends());
}

Schedule listed_rounds() {
  RoundList list;
  for (int round = 1; round <= 3; ++round) {
    list.clear();
    for (int peer = 0; peer < round; ++peer) list.add(send(here, peer));
    list.add(copy(here, there));
    co_yield list;
  }
}

TEST(RoundList, IsReusedFromRoundToRound) {
  EXPECT_EQ(peers(listed_rounds()), (std::vector<std::vector<int>>{{0}, {0, 1}, {0, 1, 2}}));
  EXPECT_TRUE(RoundList().empty());
  EXPECT_FALSE(RoundList().add(copy(here, there)).empty());
  EXPECT_EQ(RoundList().add(copy(here, there)).view().steps.size(), 1U);
}

}  // namespace
}  // namespace roundelay
