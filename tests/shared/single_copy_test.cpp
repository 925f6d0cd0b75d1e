// SPDX-License-Identifier: Apache-2.0
// The measurement of the two ways of a long message: two threads as ranks.
#include "shared/single_copy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include "shared/bytes.hpp"
#include "shared/memory.hpp"

namespace roundelay::shared {
namespace {

class SingleCopy : public testing::TestWithParam<bool> {
 protected:
  // Both ranks measure. Returns what each of them is told.
  std::array<InPlaceFrom, 2> measure() {
    std::array<InPlaceFrom, 2> told{};
    on_each(2, [&](int rank) {
      std::vector<std::byte> memory(memory_to_measure);
      Port& port = ports_.at(static_cast<std::size_t>(rank));
      told.at(static_cast<std::size_t>(rank)) = worth_reading_in_place(
          port, 1 - rank, rank == 0, GetParam(), memory,
          [&](const Message& message) { finish(port, message, GetParam()); });
    });
    return told;
  }

  Memory memory_{2};
  std::array<Port, 2> ports_{Port{memory_.view(), 0, {.sleeps = GetParam()}},
                             Port{memory_.view(), 1, {.sleeps = GetParam()}}};
};

TEST_P(SingleCopy, IsMeasuredByBothWays) {
  for (const InPlaceFrom& found : measure()) {
    for (const std::size_t worth : {found.one_way, found.both_ways}) {
      if (GetParam()) {
        EXPECT_EQ(worth, Layout::cell_bytes);
      } else {
        EXPECT_TRUE(worth == never || (worth > Line::room && worth <= longest_measured));
      }
    }
  }
  // Rank 0 sends alone, then both do.
  EXPECT_EQ(ports_[0].counters().cells, 2 * ports_[1].counters().cells);
  EXPECT_EQ(ports_[1].counters().bytes_in_place, 2 * ports_[0].counters().bytes_in_place);
  EXPECT_GT(ports_[0].counters().bytes_in_place, longest_measured);
  EXPECT_TRUE(ports_[0].idle());
  EXPECT_TRUE(ports_[1].idle());
}

TEST_P(SingleCopy, IsNeverWorthItWhereItFails) {
  memory_.view().bell(0).process = -1;
  const InPlaceFrom found = measure()[1];
  EXPECT_EQ(found.one_way, never);
  EXPECT_EQ(found.both_ways, never);
}

TEST_P(SingleCopy, LeavesThePortAsItWas) {
  measure();
  const std::size_t cells = ports_[0].counters().cells;
  on_each(2, [&](int rank) {
    Port& port = ports_.at(static_cast<std::size_t>(rank));
    Bytes message(rank == 0, 1 - rank, 7, longest_measured);
    if (rank == 0) fill(message, 0, 1, 0);
    port.start(message);
    finish(port, message, GetParam());
    Bytes wanted(true, 1, 7, longest_measured);
    fill(wanted, 0, 1, 0);
    EXPECT_EQ(message.bytes, wanted.bytes);
  });
  EXPECT_EQ(ports_[0].counters().cells, cells + longest_measured / Layout::cell_bytes);
}

INSTANTIATE_TEST_SUITE_P(Waiting, SingleCopy, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& sleeps) {
                           return sleeps.param ? "sleeping" : "spinning";
                         });

}  // namespace
}  // namespace roundelay::shared
