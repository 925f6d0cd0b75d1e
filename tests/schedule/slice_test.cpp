// SPDX-License-Identifier: Apache-2.0
#include "schedule/slice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace roundelay {
namespace {

TEST(Slice, KeepsSpaceOffsetAndLength) {
  for (const Space space : {Space::input, Space::output, Space::scratch}) {
    const Slice slice(space, 5, 7);
    EXPECT_EQ(slice.space(), space);
    EXPECT_EQ(slice.offset(), 5);
    EXPECT_EQ(slice.length(), 7);
    EXPECT_EQ(slice.end(), 12);
  }
}

TEST(Slice, HoldsOffsetsBeyondFourGibibytes) {
  const Units far = std::numeric_limits<Units>::max() / 8;
  EXPECT_EQ(Slice(Space::scratch, far, 1).offset(), far);
  EXPECT_EQ(Slice(Space::scratch, far, 1).space(), Space::scratch);
}

TEST(Slice, PartCountsFromItsBeginning) {
  EXPECT_EQ(Slice(Space::input, 10, 6).part(2, 3), Slice(Space::input, 12, 3));
  EXPECT_TRUE(Slice(Space::input, 10, 6).part(6, 0).empty());
}

TEST(Slice, OverlapsWithinOneSpaceOnly) {
  const Slice slice(Space::output, 4, 4);
  EXPECT_TRUE(slice.overlaps(Slice(Space::output, 7, 1)));
  EXPECT_TRUE(slice.overlaps(Slice(Space::output, 0, 100)));
  EXPECT_FALSE(slice.overlaps(Slice(Space::output, 8, 1)));
  EXPECT_FALSE(slice.overlaps(Slice(Space::output, 0, 4)));
  EXPECT_FALSE(slice.overlaps(Slice(Space::scratch, 4, 4)));
}

TEST(Slice, JoinsWhatBeginsWhereItEnds) {
  const Slice slice(Space::output, 4, 4);
  EXPECT_TRUE(slice.joins(Slice(Space::output, 8, 2)));
  EXPECT_FALSE(slice.joins(Slice(Space::scratch, 8, 2)));
  EXPECT_FALSE(slice.joins(Slice(Space::output, 9, 2)));
}

std::vector<Slice> listed(const Slices& slices) { return {slices.begin(), slices.end()}; }

TEST(Slices, AnEmptySliceIsNoSlice) {
  EXPECT_TRUE(Slices(Slice()).empty());
  Slices slices;
  slices.add(Slice(Space::output, 3, 0));
  EXPECT_TRUE(slices.empty());
  EXPECT_EQ(slices.length(), 0);
}

TEST(Slices, NeighboursBecomeOne) {
  Slices slices(Slice(Space::output, 0, 4));
  slices.add(Slice(Space::output, 4, 2));
  slices.add(Slice(Space::scratch, 6, 1));
  EXPECT_EQ(listed(slices), (std::vector<Slice>{{Space::output, 0, 6}, {Space::scratch, 6, 1}}));
  EXPECT_EQ(slices.length(), 7);
}

TEST(Slices, MoreThanTwoLiveInARoom) {
  SliceRoom room;
  Slices slices;
  for (const Units offset : {0, 10, 20, 30, 31}) slices.add(Slice(Space::output, offset, 1), room);
  EXPECT_EQ(listed(slices), (std::vector<Slice>{{Space::output, 0, 1},
                                                {Space::output, 10, 1},
                                                {Space::output, 20, 1},
                                                {Space::output, 30, 2}}));
  EXPECT_EQ(slices.length(), 5);
  EXPECT_EQ(slices.view().size(), 4U);
}

TEST(Slices, MayBeKeptBySomebodyElse) {
  const std::vector<Slice> kept{
      {Space::output, 0, 1}, {Space::output, 5, 2}, {Space::scratch, 9, 3}};
  const std::span<const Slice> all(kept);
  for (const std::size_t count : {0U, 1U, 2U, 3U}) {
    const Slices slices(all.first(count), 7);
    EXPECT_EQ(listed(slices),
              std::vector<Slice>(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count)));
    EXPECT_EQ(slices.length(), 7);
  }
}

TEST(Slices, ACopyIsItsOwn) {
  Slices slices(Slice(Space::output, 0, 4));
  const Slices copy = slices;
  slices.add(Slice(Space::output, 8, 4));
  EXPECT_EQ(copy.size(), 1U);
  EXPECT_EQ(copy.length(), 4);
  EXPECT_EQ(slices.length(), 8);
}

TEST(Blocks, EvenOnesCoverTheWholeAndDifferByOneAtMost) {
  for (const Units length : {0, 1, 5, 12, 13, 100}) {
    for (const int n : {1, 2, 5, 13}) {
      const Blocks blocks = Blocks::even(Slice(Space::scratch, 3, length), n);
      ASSERT_EQ(blocks.size(), n);
      Units at = 3;
      for (int j = 0; j < n; ++j) {
        EXPECT_EQ(blocks[j].offset(), at);
        EXPECT_GE(blocks[j].length(), length / n);
        EXPECT_LE(blocks[j].length(), (length + n - 1) / n);
        at = blocks[j].end();
      }
      EXPECT_EQ(at, 3 + length);
    }
  }
}

TEST(Blocks, IndicesWrapOnceAround) {
  const Blocks blocks = Blocks::even(Slice(Space::output, 0, 10), 5);
  EXPECT_EQ(blocks[-1], blocks[4]);
  EXPECT_EQ(blocks[-5], blocks[0]);
  EXPECT_EQ(blocks[5], blocks[0]);
  EXPECT_EQ(blocks[9], blocks[4]);
}

TEST(Blocks, CutByCountsAndDisplacements) {
  const std::array<Units, 3> counts{2, 0, 4};
  const std::array<Units, 3> displacements{6, 0, 1};
  const Blocks blocks = Blocks::cut(Slice(Space::output, 10, 8), counts, displacements);
  EXPECT_EQ(blocks[0], Slice(Space::output, 16, 2));
  EXPECT_TRUE(blocks[1].empty());
  EXPECT_EQ(blocks[-1], Slice(Space::output, 11, 4));
}

TEST(Blocks, TheSameCutGoesOverAnotherSlice) {
  const std::array<Units, 2> counts{2, 4};
  const std::array<Units, 2> displacements{4, 0};
  const Slice other(Space::scratch, 1, 6);
  const Slice output(Space::output, 10, 6);
  EXPECT_EQ(Blocks::cut(output, counts, displacements).over(other)[0], Slice(Space::scratch, 5, 2));
  EXPECT_EQ(Blocks::even(output, 4).over(other)[3], Slice(Space::scratch, 6, 1));
}

TEST(Blocks, RangeIsOneSlice) {
  const Blocks blocks = Blocks::even(Slice(Space::output, 0, 11), 4);  // 3, 3, 3, 2
  EXPECT_EQ(blocks.range(1, 4), Slice(Space::output, 3, 8));
  EXPECT_TRUE(blocks.range(4, 4).empty());
}

TEST(Blocks, ARunWrapsIntoTwoSlices) {
  SliceRoom room;
  const Blocks blocks = Blocks::even(Slice(Space::output, 0, 11), 4);
  EXPECT_EQ(listed(blocks.run(1, 2, room)), (std::vector<Slice>{{Space::output, 3, 6}}));
  EXPECT_EQ(listed(blocks.run(3, 2, room)),
            (std::vector<Slice>{{Space::output, 9, 2}, {Space::output, 0, 3}}));
  EXPECT_EQ(blocks.run(2, 4, room).length(), 11);
  EXPECT_TRUE(blocks.run(2, 0, room).empty());
}

TEST(Blocks, ARunOfIrregularBlocksIsPacked) {
  const std::array<Units, 4> counts{1, 2, 0, 3};
  const std::array<Units, 4> displacements{0, 4, 0, 10};
  SliceRoom room;
  const Blocks blocks = Blocks::cut(Slice(Space::output, 0, 20), counts, displacements);
  EXPECT_EQ(
      listed(blocks.run(3, 4, room)),
      (std::vector<Slice>{{Space::output, 10, 3}, {Space::output, 0, 1}, {Space::output, 4, 2}}));
}

}  // namespace
}  // namespace roundelay
