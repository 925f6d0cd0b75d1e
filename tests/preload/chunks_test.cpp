// SPDX-License-Identifier: Apache-2.0
#include "preload/chunks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace roundelay::preload {
namespace {

TEST(Ranges, AreAsLongAsTheyMayBe) {
  constexpr std::array lengths{3, 4, 3, 0, 20, 1, 9};
  EXPECT_EQ(chunks_of_at_most(10, lengths), (std::vector<Chunk>{{0, 4}, {4, 5}, {5, 7}}));
  EXPECT_EQ(chunks_of_at_most(100, lengths), (std::vector<Chunk>{{0, 7}}));
  EXPECT_TRUE(chunks_of_at_most(10, {}).empty());
}

}  // namespace
}  // namespace roundelay::preload
