// SPDX-License-Identifier: Apache-2.0
// Which rounds of a schedule are exchanged in place, and what is left of it.
#include "mpi/short_rounds.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay::mpi {
namespace {

Slice part(Units offset, Units length) { return {Space::input, offset, length}; }

struct Given {
  std::size_t pairs;
  std::size_t steps;

  friend bool operator==(const Given&, const Given&) = default;
};

class RoundsOfASchedule : public testing::Test {
 protected:
  RoundsOfASchedule() { memory_.type.size = 1; }
  std::vector<Given> given_by(Schedule& schedule, bool many) {
    std::vector<Given> given;
    rounds_.begin(schedule, schedule.next(), memory_, many);
    while (rounds_.next()) given.push_back({rounds_.pairs().size(), rounds_.steps().size()});
    return given;
  }

  Memory memory_;
  ShortRounds rounds_;
};

Schedule one_message_and_two() {
  co_yield round(send(part(0, 1), 1), copy(part(0, 1), part(1, 1)));
  co_yield round(send(part(0, 1), 1), send(part(1, 1), 2));
}

TEST_F(RoundsOfASchedule, OfSeveralMessagesAreTakenOnRequest) {
  Schedule many = one_message_and_two();
  EXPECT_EQ(given_by(many, true), (std::vector<Given>{{1, 1}, {2, 0}}));
  EXPECT_TRUE(rounds_.all());
  Schedule one = one_message_and_two();
  EXPECT_EQ(given_by(one, false), (std::vector<Given>{{1, 1}}));
  EXPECT_FALSE(rounds_.all());
  EXPECT_EQ(rounds_.rest(one).round().transfers.size(), 2U);
}

Schedule two_deferred(bool third_is_long) {
  co_yield round(deferred(send(part(0, 1), 1)));
  co_yield round(copy(part(0, 1), part(1, 1)));
  co_yield round(deferred(recv(part(2, 1), 2)));
  if (third_is_long) co_yield round(send(part(0, short_message + 1), 3));
}

TEST_F(RoundsOfASchedule, WhoseMessagesAreAllDeferredAreOne) {
  Schedule schedule = two_deferred(false);
  EXPECT_EQ(given_by(schedule, true), (std::vector<Given>{{0, 1}, {1, 0}}));
  EXPECT_TRUE(rounds_.all());
}

// Its step is not done again.
TEST_F(RoundsOfASchedule, AreLeftWithWhatWasTakenBefore) {
  Schedule schedule = two_deferred(true);
  EXPECT_EQ(given_by(schedule, true), (std::vector<Given>{{0, 1}}));
  ASSERT_FALSE(rounds_.all());
  Rounds rest = rounds_.rest(schedule);
  EXPECT_EQ(rest.round().transfers.size(), 2U);
  EXPECT_TRUE(rest.round().steps.empty());
  ASSERT_TRUE(rest.next());
  EXPECT_EQ(rest.round().transfers.size(), 1U);
  EXPECT_FALSE(rest.next());
}

}  // namespace
}  // namespace roundelay::mpi
