// SPDX-License-Identifier: Apache-2.0
#include "interpret/contents.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace roundelay::interpret {
namespace {

constexpr Slice slice(Units offset, Units length) { return {Space::output, offset, length}; }

TEST(Contents, NeighboursThatContinueEachOtherAreOneRun) {
  Contents contents;
  contents.write({0, 2, 10, 0});
  contents.write({4, 2, 14, 0});
  EXPECT_EQ(contents.runs().size(), 2U);
  contents.write({2, 2, 12, 0});
  ASSERT_EQ(contents.runs().size(), 1U);
  EXPECT_EQ(contents.runs()[0].length, 6);
  EXPECT_EQ(contents.runs()[0].index, 10);
}

TEST(Contents, SaysWhichUnitIsMissing) {
  Contents contents;
  contents.write({2, 3, 0, 0});
  Message message;
  EXPECT_EQ(contents.read(slice(2, 3), message), std::nullopt);
  EXPECT_EQ(contents.read(slice(3, 4), message), 5);
  EXPECT_EQ(contents.read(slice(0, 1), message), 0);
  EXPECT_EQ(contents.read(slice(9, 0), message), std::nullopt);
}

// Against a plain array of units.
TEST(Contents, HoldsWhatWasWrittenLast) {
  struct Unit {
    bool filled = false;
    Units index = 0;
    Expression expression = 0;
  };
  constexpr int size = 24;
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<Units>(random() % static_cast<unsigned>(n)); };
  Contents contents;
  std::vector<Unit> plain(size);
  for (int turn = 0; turn < 5000; ++turn) {
    const Units offset = below(size);
    const Units length = below(static_cast<int>(size - offset) + 1);
    const Units index = offset + below(3);
    const auto expression = static_cast<Expression>(below(2));
    contents.write({offset, length, index, expression});
    for (Units i = 0; i < length; ++i)
      plain[static_cast<std::size_t>(offset + i)] = {true, index + i, expression};

    for (Units at = 0; at < size; ++at) {
      const Unit& unit = plain[static_cast<std::size_t>(at)];
      Message message;
      ASSERT_EQ(contents.read(slice(at, 1), message).has_value(), !unit.filled);
      if (!unit.filled) continue;
      ASSERT_EQ(message.front().index, unit.index);
      ASSERT_EQ(message.front().expression, unit.expression);
    }
    for (std::size_t i = 1; i < contents.runs().size(); ++i) {
      ASSERT_LE(contents.runs()[i - 1].end(), contents.runs()[i].offset);
    }
    if (turn % 50 == 49) {
      contents = {};
      plain.assign(size, {});
    }
  }
}

}  // namespace
}  // namespace roundelay::interpret
