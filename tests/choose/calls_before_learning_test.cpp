// SPDX-License-Identifier: Apache-2.0
#include "choose/calls_before_learning.hpp"

#include <gtest/gtest.h>

#include "choose/learner.hpp"
#include "choose/usual_machine.hpp"

namespace roundelay::choose {
namespace {

class CallsBeforeLearning : public ::testing::Test {
 protected:
  [[nodiscard]] std::int64_t calls(double search, bool is_native = true) const {
    return calls_before_learning(call, machine, is_native, search);
  }

  Machine machine = usual_machine(Library::open_mpi, 50e-6);
  Facts call{.collective = Collective::allreduce, .bytes = 8, .ranks = 16, .nodes = 16};
};

TEST_F(CallsBeforeLearning, TakeAMillisecond) { EXPECT_EQ(calls(0), 1 + 19); }

TEST_F(CallsBeforeLearning, TakeSoLongThatTheSearchIsWithinItsShare) {
  const double search = 10e-3;
  EXPECT_NEAR(static_cast<double>(calls(search)) * 4 * 50e-6 * Learner::share, search,
              0.01 * search);
}

TEST_F(CallsBeforeLearning, AreFewIfTheFirstGuessIsNotNative) {
  EXPECT_EQ(calls(10e-3, false), calls(0));
}

TEST_F(CallsBeforeLearning, AreFewIfMessagesAreLong) {
  call.bytes = 64 << 20;
  EXPECT_EQ(calls(10e-3), 1);
}

TEST_F(CallsBeforeLearning, AreFewIfNobodyKnowsTheLength) {
  call.collective = Collective::alltoallv;
  call.bytes = 0;
  EXPECT_EQ(calls(10e-3), calls(0));
}

TEST_F(CallsBeforeLearning, AreFewIfTheLibraryKeepsCoresWhileItWaits) {
  call.oversubscribed = true;
  machine.native_shares_cores = false;
  EXPECT_EQ(calls(10e-3), calls(0));
}

}  // namespace
}  // namespace roundelay::choose
