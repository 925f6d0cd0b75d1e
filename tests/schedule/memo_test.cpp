// SPDX-License-Identifier: Apache-2.0
#include "schedule/memo.hpp"

#include <gtest/gtest.h>

namespace roundelay {
namespace {

struct One {
  int value = 1;
};
struct Other {
  int value = 2;
};

TEST(Memo, KeepsOneObjectOfEachType) {
  Memo memo;
  EXPECT_EQ(memo.of<One>().value, 1);
  EXPECT_EQ(memo.of<Other>().value, 2);
  memo.of<One>().value = 7;
  EXPECT_EQ(memo.of<One>().value, 7);
  EXPECT_EQ(memo.of<Other>().value, 2);
}

}  // namespace
}  // namespace roundelay
