// SPDX-License-Identifier: Apache-2.0
#include "choose/calls_before_learning.hpp"

#include <gtest/gtest.h>

#include "choose/learner.hpp"
#include "choose/usual_machine.hpp"

namespace roundelay::choose {
namespace {

class CallsBeforeLearning : public ::testing::Test {
 protected:
  Machine machine = usual_machine(Library::open_mpi, 50e-6);
  Facts call{.collective = Collective::allreduce, .bytes = 8, .ranks = 16, .nodes = 16};
};

TEST_F(CallsBeforeLearning, TakeAMillisecond) {
  EXPECT_EQ(calls_before_learning(call, machine), 1 + 19);
  call.bytes = 64 << 20;
  EXPECT_EQ(calls_before_learning(call, machine), 1);
}

TEST_F(CallsBeforeLearning, OfShortMessagesTakeSoLongThatTheSearchIsWithinItsShare) {
  const double seconds = seconds_before_search(call, machine, 200e-6, 10e-3);
  EXPECT_NEAR(seconds * share_of_learning(call, machine, true), 10e-3, 1e-9);
}

TEST_F(CallsBeforeLearning, LearningMayCostLessWhereBytesTakeLessThanAStartUpAndNativeIsFirst) {
  EXPECT_LT(share_of_learning(call, machine, true), Learner::usual_share);
  EXPECT_EQ(share_of_learning(call, machine, false), Learner::usual_share);
  machine.beta = 1e-9;
  call.bytes = 1 << 20;
  EXPECT_EQ(share_of_learning(call, machine, true), Learner::usual_share);
  call.bytes = 0;  // nobody knows how many
  EXPECT_EQ(share_of_learning(call, machine, true), Learner::usual_share);
  call.collective = Collective::barrier;
  EXPECT_LT(share_of_learning(call, machine, true), Learner::usual_share);
}

TEST_F(CallsBeforeLearning, OfLongMessagesTakeAsLongAsTheSearch) {
  machine.beta = 1e-9;
  call.bytes = 1 << 20;
  EXPECT_DOUBLE_EQ(seconds_before_search(call, machine, 2e-3, 10e-3), 10e-3);
}

TEST_F(CallsBeforeLearning, DoNotWaitForASearchIfTheLibraryKeepsCoresWhileItWaits) {
  EXPECT_TRUE(search_may_wait(call, machine));
  call.oversubscribed = true;
  machine.native_shares_cores = false;
  EXPECT_FALSE(search_may_wait(call, machine));
}

}  // namespace
}  // namespace roundelay::choose
