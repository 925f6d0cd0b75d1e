// SPDX-License-Identifier: Apache-2.0
#include "interpret/crossing.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "choose/spelling.hpp"
#include "interpret/node_links.hpp"

namespace roundelay::interpret {
namespace {

const Partition by_two = Partition::by(std::vector<int>{0, 0, 1, 1, 2, 2});
const Partition halves = Partition::by(std::vector<int>{0, 0, 0, 1, 1, 1});
const Partition together = Partition::by(std::vector<int>(6, 0));

// Each of the six links of the ring carries all blocks but one.
TEST(Crossing, ARingCrossesWhereItsLinksDo) {
  const std::array parts{by_two, halves, together};
  const Choice ring = choose::parse_algorithm(Collective::allgather, "ring");
  EXPECT_EQ(crossing(ring, {.p = 6, .m = 600}, parts), (std::vector<Units>{1500, 1000, 0}));
}

// What leaves the nodes where the same schedules are run together, with a clock.
TEST(Crossing, AsMuchAsTheLinksOfTheNodesCarry) {
  const Case of{.p = 6, .root = 4, .m = 720, .topology = {.nodes = by_two, .sites = {}}};
  for (const Algorithm* algorithm : catalogue()) {
    const Choice choice(*algorithm);
    if (!algorithm->is_for(Groups::one) || algorithm->native()) continue;
    if (violated(choice, circumstances_of(of)) != nullptr) continue;
    RunBudget budget{std::numeric_limits<double>::infinity(), 1 << 20};
    const auto traffic = run_over_nodes(choice, of, {}, budget);
    ASSERT_TRUE(traffic);
    const Units leaving =
        std::accumulate(traffic->leaving.begin(), traffic->leaving.end(), Units{0});
    EXPECT_EQ(crossing(choice, of, std::array{by_two}), std::vector{leaving})
        << name_of(algorithm->collective) << "." << choice.text();
  }
}

double distance_of(std::string_view algorithm, const Case& of) {
  return distance(choose::parse_algorithm(Collective::allgather, algorithm), of, Torus({of.p}),
                  1000)
      .value_or(-1);
}

TEST(Distance, OfARingIsOneRankForEachUnit) {
  EXPECT_EQ(distance_of("ring", {.p = 6, .m = 600}), 6 * 500);
}

// Of rounds of 1, 2 and 1 blocks, to ranks 1, 2 and 4 away; the way around is 2 there.
TEST(Distance, IsThatOfTheShorterWayAround) {
  EXPECT_EQ(distance_of("bruck", {.p = 6, .m = 600}), 6 * (100 * 1 + 200 * 2 + 200 * 2));
}

// Where ranks differ, all are looked at, as far as that is not too much.
TEST(Distance, OfATreeIsThatOfAllRanks) {
  const Choice linear = choose::parse_algorithm(Collective::gather, "linear");
  EXPECT_EQ(distance(linear, {.p = 6, .m = 600}, Torus({6}), 5), 100 * (1 + 2 + 3 + 2 + 1));
  EXPECT_EQ(distance(linear, {.p = 6, .m = 600}, Torus({6}), 4), std::nullopt);
}

// In a chain each rank but the last sends once, in recursive doubling to the ranks 1 and 2 behind.
TEST(Sent, IsWhatAllRanksSend) {
  const auto of = [](std::string_view algorithm) {
    return sent(choose::parse_algorithm(Collective::scan, algorithm), {.p = 4, .m = 8}, 5).value();
  };
  EXPECT_EQ(of("chain(blocks=1)").messages, 3);
  EXPECT_EQ(of("chain(blocks=1)").units, 3 * 8);
  EXPECT_EQ(of("recursive_doubling").messages, 3 + 2);
  EXPECT_EQ(of("recursive_doubling").units, 5 * 8);
  const Choice ring = choose::parse_algorithm(Collective::allgather, "ring");
  EXPECT_EQ(sent(ring, {.p = 4, .m = 8}, 3)->messages, 4 * 3);  // one rank stands for all
  EXPECT_EQ(sent(ring, {.p = 4, .m = 8}, 2), std::nullopt);
}

TEST(Crossing, APartitionIsOfTheSameRanks) {
  const Choice ring = choose::parse_algorithm(Collective::allgather, "ring");
  EXPECT_THROW((void)crossing(ring, {.p = 4, .m = 4}, std::array{by_two}), std::invalid_argument);
}

}  // namespace
}  // namespace roundelay::interpret
