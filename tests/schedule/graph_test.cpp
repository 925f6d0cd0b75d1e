// SPDX-License-Identifier: Apache-2.0
#include "schedule/graph.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace roundelay {
namespace {

std::vector<Edge> listed(std::span<const Edge> edges) { return {edges.begin(), edges.end()}; }

TEST(Graph, AGridHasNoNeighboursBeyondItsBorder) {
  const Graph grid = Graph::cartesian(std::array{2, 3}, {false, true});
  EXPECT_EQ(grid.text(), "0:3,2,1 1:4,0,2 2:5,1,0 3:0,5,4 4:1,3,5 5:2,4,3");
  EXPECT_EQ(listed(grid.destinations(0)), (std::vector<Edge>{{3, 1}, {2, 2}, {1, 3}}));
  EXPECT_EQ(listed(grid.sources(0)), (std::vector<Edge>{{3, 1}, {1, 3}, {2, 2}}));
  EXPECT_EQ(grid.sent_blocks(5), 4);
  EXPECT_EQ(grid.degree(), 3);
  std::size_t edges = 0;
  for (int rank = 0; rank < grid.ranks(); ++rank) edges += grid.sources(rank).size();
  EXPECT_EQ(edges, 18U);
  EXPECT_TRUE(grid.consistent());
}

// MPI 4.1, section 8.6: also where both neighbours are one rank.
TEST(Graph, WhatIsSentInOneDirectionArrivesFromTheOther) {
  for (const std::vector<int>& lengths : {std::vector{1}, {2}, {5}, {1, 1}, {2, 2}, {1, 2, 3}}) {
    const Graph torus = Graph::cartesian(lengths, std::vector<bool>(lengths.size(), true));
    EXPECT_TRUE(torus.consistent());
    for (int rank = 0; rank < torus.ranks(); ++rank) {
      for (std::size_t i = 0; i < torus.sources(rank).size(); ++i) {
        const Edge from = torus.sources(rank)[i];
        EXPECT_EQ(torus.sent_along(rank, i), (Edge{rank, from.block ^ 1})) << torus.text();
      }
    }
  }
}

TEST(Graph, TheKthEdgeOfTwoRanksIsTheKthAtBothEnds) {
  const Graph graph({{.sources = {}, .destinations = {{1, 0}, {1, 1}, {0, 2}}},
                     {.sources = {{0, 1}, {0, 0}}, .destinations = {}}});
  EXPECT_FALSE(graph.consistent());
  const Graph whole({{.sources = {{0, 0}}, .destinations = {{1, 0}, {1, 1}, {0, 2}}},
                     {.sources = {{0, 1}, {0, 0}}, .destinations = {}}});
  EXPECT_TRUE(whole.consistent());
  EXPECT_EQ(whole.sent_along(1, 0).block, 0);
  EXPECT_EQ(whole.sent_along(1, 1).block, 1);
  EXPECT_EQ(whole.sent_along(0, 0).block, 2);
}

}  // namespace
}  // namespace roundelay
