// SPDX-License-Identifier: Apache-2.0
#include "schedule/scratch_used.hpp"

#include <gtest/gtest.h>

namespace roundelay {
namespace {

constexpr Slice output(Space::output, 0, 4);

Schedule of_transfers() {
  co_yield round(send(all_scratch.part(3, 4), 1), recv(all_scratch.part(0, 4), 1));
  co_yield round(deferred(recv(all_scratch.part(9, 2), 1)));
  co_yield fence(at_the_end);
}

Schedule of_steps() {
  co_yield round(copy(output, all_scratch.part(5, 4)), combine(all_scratch.part(1, 4), output));
}

Schedule of_nothing() {
  co_yield round(send(output, 1), recv(all_scratch.part(7, 0), 1));
  co_yield round(copy(Slice(Space::output, 0, 0), all_scratch.part(7, 0)));
}

Schedule of_nested() { co_yield all(of_steps()); }

TEST(ScratchUsed, EndsWhereTheLastSliceDoes) {
  EXPECT_EQ(scratch_used(of_transfers()), 11);
  EXPECT_EQ(scratch_used(of_steps()), 9);
  EXPECT_EQ(scratch_used(of_nested()), 9);
}

TEST(ScratchUsed, IsNothingWhereNothingHappens) { EXPECT_EQ(scratch_used(of_nothing()), 0); }

}  // namespace
}  // namespace roundelay
