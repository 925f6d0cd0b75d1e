// SPDX-License-Identifier: Apache-2.0
#include "preload/record.hpp"

#include <gtest/gtest.h>

namespace roundelay::preload {
namespace {

Learned learned_of(const char* algorithm, int ranks) {
  return {.collective = Collective::allreduce,
          .algorithm = algorithm,
          .least_bytes = 8,
          .most_bytes = 15,
          .ranks = ranks,
          .seconds = 2,
          .spent = 0.5};
}

// A program may make communicators as long as it runs.
TEST(AddLearned, WhatWasLearnedBeforeTakesNoMoreMemory) {
  for (int i = 0; i < 100; ++i) add_learned(learned_of("ring", 4));
  add_learned(learned_of("ring", 5));
  add_learned(learned_of("bine", 4));
  const std::vector<Learned> all = learned();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].algorithm, "ring");
  EXPECT_EQ(all[0].ranks, 4);
  EXPECT_DOUBLE_EQ(all[0].seconds, 200);
  EXPECT_DOUBLE_EQ(all[0].spent, 50);
  EXPECT_EQ(all[1].ranks, 5);
  EXPECT_DOUBLE_EQ(all[2].seconds, 2);
}

}  // namespace
}  // namespace roundelay::preload
