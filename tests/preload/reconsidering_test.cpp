// SPDX-License-Identifier: Apache-2.0
#include "preload/reconsidering.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace roundelay::preload {
namespace {

// The first `calls` calls of a communicator.
class Reconsidered : public ::testing::Test {
 protected:
  // In which of the next calls the ranks reconsider, if they expect nothing.
  std::vector<std::int64_t> next(int calls, std::uint64_t expected = 0) {
    std::vector<std::int64_t> in;
    for (int i = 0; i < calls; ++i) {
      if (!when.one_more_call() || !when.is_due()) continue;
      in.push_back(when.calls());
      when.plan_next(true, expected);
    }
    return in;
  }

  Reconsidering when;
};

TEST_F(Reconsidered, AfterTwiceAsManyCallsEachTime) {
  when.begin(true);
  EXPECT_EQ(next(200), (std::vector<std::int64_t>{16, 32, 64, 128}));
}

TEST_F(Reconsidered, NeverIfNothingMayChange) {
  when.begin(false);
  EXPECT_TRUE(next(1000).empty());
}

TEST_F(Reconsidered, SoonAfterTheFirstLongCall) {
  when.begin(true);
  EXPECT_EQ(next(20), (std::vector<std::int64_t>{16}));
  when.begin_long_calls();
  EXPECT_EQ(next(20), (std::vector<std::int64_t>{21, 22, 24, 28, 36}));
}

TEST_F(Reconsidered, WhenItIsExpectedToBeTimeButNotLaterThanAfterTwiceAsManyCalls) {
  when.begin(true);
  EXPECT_EQ(next(40, 10), (std::vector<std::int64_t>{16, 26, 36}));
  EXPECT_EQ(next(60, 1000), (std::vector<std::int64_t>{46, 92}));
}

TEST_F(Reconsidered, AfterManyCallsThatDoNotWait) {
  when.begin(true);
  for (int i = 0; i < 15; ++i) when.one_more_later();
  EXPECT_TRUE(next(1).empty());
  when.one_more_later();
  EXPECT_EQ(next(1), (std::vector<std::int64_t>{2}));
}

TEST_F(Reconsidered, IsNotWhatALearningOfTheCommunicatorAsksFor) {
  when.begin(true);
  when.attention().within(3);
  std::vector<std::int64_t> attended;
  for (int i = 0; i < 16; ++i) {
    if (!when.one_more_call()) continue;
    attended.push_back(when.calls());
    EXPECT_EQ(when.is_due(), when.calls() == 16);
  }
  EXPECT_EQ(attended, (std::vector<std::int64_t>{3, 16}));
}

}  // namespace
}  // namespace roundelay::preload
