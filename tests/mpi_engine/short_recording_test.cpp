// SPDX-License-Identifier: Apache-2.0
// What a recording holds, and of which calls it is.
#include "mpi/short_recording.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

namespace roundelay::mpi {
namespace {

Slice part(Units offset, Units length) { return {Space::input, offset, length}; }

TEST(ShortRecordings, HoldWhatFits) {
  ShortRecording recording;
  recording.start({}, {}, 0);
  std::array<SendReceivePair, 2> round;
  round[0].goes_on = true;
  const LocalStep step = copy(part(0, 1), part(1, 1));
  const std::array<const LocalStep*, 1> steps{&step};
  for (int i = 0; i < 32; ++i) {
    recording.add(round, steps);
  }
  EXPECT_TRUE(recording.did_not_hold({}, {}));
  recording.close();
  EXPECT_TRUE(recording.closed());
  EXPECT_FALSE(recording.did_not_hold({}, {}));
  ShortRecording other;
  other.copy_rounds(recording);
  EXPECT_EQ(other.pairs().size(), 64U);
  EXPECT_EQ(other.steps().size(), 32U);
  EXPECT_TRUE(recording.wide());
  EXPECT_EQ(recording.pairs()[1].steps, 1U);
  EXPECT_EQ(recording.pairs()[63].steps, 32U);
  recording.add(round, {});
  recording.close();
  EXPECT_FALSE(recording.closed());
  recording.start({}, {}, 0);
  recording.add(std::span<const SendReceivePair>(round).last(1), {});
  recording.close();
  EXPECT_TRUE(recording.closed());
  EXPECT_FALSE(recording.wide());
}

TEST(ShortRecordings, AreOfCallsWithDifferentRootsAndLengths) {
  ShortRecordings recordings;
  const auto is_recorded = [&recordings](const Shape& shape) {
    return recordings.of(shape).holds(shape, Problem());
  };
  const auto record = [&](const Shape& shape) {
    if (is_recorded(shape)) return;
    ShortRecording& recording = recordings.free_for(shape);
    recording.start(shape, {}, 0);
    recording.close();
  };
  const auto call = [](Units m, int root) {
    Shape shape;
    shape.m = m;
    shape.root = root;
    return shape;
  };
  record(call(8, 0));
  EXPECT_TRUE(is_recorded(call(8, 0)));
  EXPECT_FALSE(is_recorded(call(8, 1)));
  for (int times = 0; times < 2; ++times) {
    for (int root = 0; root < 64; ++root) record(call(8, root));
  }
  for (int root = 0; root < 64; ++root) EXPECT_TRUE(is_recorded(call(8, root))) << root;
  EXPECT_FALSE(is_recorded(call(8, 64)));
  record(call(4096, 0));
  EXPECT_TRUE(is_recorded(call(4096, 0)));
  EXPECT_TRUE(is_recorded(call(8, 7)));
}

TEST(ShortRecordings, AreOfOneCut) {
  const Slice whole(Space::input, 0, 9);
  const std::vector<Units> offsets{0, 4, 4};
  std::vector<Units> counts{4, 0, 5};
  Problem problem;
  problem.blocks = Blocks::cut(whole, counts, offsets);
  ShortRecording recording;
  recording.start({}, problem, 0);
  recording.close();
  EXPECT_TRUE(recording.holds({}, problem));
  counts = {4, 1, 4};  // where they lay
  EXPECT_FALSE(recording.holds({}, problem));
  problem.blocks = Blocks::even(whole, 3);
  EXPECT_FALSE(recording.holds({}, problem));
  recording.start({}, problem, 0);
  recording.close();
  EXPECT_TRUE(recording.holds({}, problem));
  problem.blocks = Blocks::cut(whole, counts, offsets);
  EXPECT_FALSE(recording.holds({}, problem));
  const std::vector<Units> many(129);
  problem.blocks = Blocks::cut(whole, many, many);
  recording.start({}, problem, 0);
  recording.close();
  EXPECT_FALSE(recording.closed());
}

}  // namespace
}  // namespace roundelay::mpi
