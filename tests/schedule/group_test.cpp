// SPDX-License-Identifier: Apache-2.0
#include "schedule/group.hpp"

#include <gtest/gtest.h>

#include <array>
#include <type_traits>
#include <vector>

namespace roundelay {
namespace {

std::vector<int> members(const Group& group) {
  std::vector<int> ranks;
  for (int i = 0; i < group.size; ++i) ranks.push_back(group[i]);
  return ranks;
}

TEST(Group, IsTheCommunicatorAtFirst) {
  const Group g(2, 5);
  EXPECT_EQ(members(g), (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(g.left(), 1);
  EXPECT_EQ(g.right(), 3);
}

TEST(Group, WrapsOnceAround) {
  EXPECT_EQ(Group(0, 5).left(), 4);
  EXPECT_EQ(Group(4, 5).right(), 0);
  EXPECT_EQ(Group(0, 5)[-5], 0);
  EXPECT_EQ(Group(0, 5)[9], 4);
  EXPECT_EQ(Group(0, 1).left(), 0);
}

TEST(Group, RootedCountsFromTheRoot) {
  const Group g(1, 5);
  const Subgroup t = g.rooted(3);
  EXPECT_EQ(members(t), (std::vector{3, 4, 0, 1, 2}));
  EXPECT_EQ(t.rank, 3);
  EXPECT_EQ(t[t.rank], 1);
  EXPECT_EQ(t.left(), 0);
}

TEST(Group, Strided) {
  const Group g(5, 8);
  const Subgroup odd = g.strided(1, 2, 4);
  EXPECT_EQ(members(odd), (std::vector{1, 3, 5, 7}));
  EXPECT_EQ(odd.rank, 2);
}

TEST(Group, FoldedKeepsOneOfEachPair) {
  const Group even(2, 6);
  EXPECT_EQ(members(even.folded(2, 0)), (std::vector{0, 2, 4, 5}));
  EXPECT_EQ(even.folded(2, 0).rank, 1);
  const Group odd(3, 6);
  EXPECT_EQ(members(odd.folded(2, 1)), (std::vector{1, 3, 4, 5}));
  EXPECT_EQ(odd.folded(2, 1).rank, 1);
  const Group unpaired(5, 6);
  EXPECT_EQ(unpaired.folded(2, 1).rank, 3);
}

TEST(Group, Listed) {
  const std::array ranks{4, 0, 2};
  const Group g(2, 5);
  const Subgroup some = g.listed(ranks.data(), 3, 2);
  EXPECT_EQ(members(some), (std::vector{4, 0, 2}));
  EXPECT_EQ(some.rank, 2);
}

TEST(Group, ReplacesItsFirstRanks) {
  const Group g(6, 7);
  const Subgroup filled = g.replaced(1, 6, 3);  // of 0 1 2
  EXPECT_EQ(members(filled), (std::vector{6, 1, 2}));
  EXPECT_EQ(filled.rank, 0);
  EXPECT_EQ(Group(2, 7).replaced(1, 6, 3).rank, 2);
}

// Whatever they are made of, the ranks that come out are the communicator's.
TEST(Group, SubgroupsChain) {
  const Group g(6, 8);
  const Subgroup even = g.strided(0, 2, 4);     // 0 2 4 6
  const Subgroup turned = even.rooted(2);       // 4 6 0 2
  const Subgroup folded = turned.folded(1, 1);  // 6 0 2
  EXPECT_EQ(members(turned), (std::vector{4, 6, 0, 2}));
  EXPECT_EQ(turned.rank, 1);
  EXPECT_EQ(members(folded), (std::vector{6, 0, 2}));
  EXPECT_EQ(folded.rank, 0);
  EXPECT_EQ(folded.left(), 2);
}

// A schedule keeps its group by value; the map of a temporary would be gone when it runs.
TEST(Group, IsNotMadeFromATemporarySubgroup) {
  EXPECT_TRUE((std::is_constructible_v<Group, const Subgroup&>));
  EXPECT_FALSE((std::is_constructible_v<Group, Subgroup>));
}

TEST(Group, ACopiedSubgroupRefersToItsOwnMap) {
  const Group g(1, 4);
  const Subgroup copy = [&] {
    const Subgroup original = g.rooted(1);
    return Subgroup(original);
  }();
  EXPECT_EQ(members(copy), (std::vector{1, 2, 3, 0}));
}

}  // namespace
}  // namespace roundelay
