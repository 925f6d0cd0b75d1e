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

TEST(Graph, HasOneLengthIfAllEdgesAreLinked) {
  EXPECT_TRUE(Graph::ring(1).has_one_length());
  EXPECT_TRUE(Graph::ring(5).has_one_length());
  // What even ranks send, odd ones are sent, and the other way round.
  EXPECT_FALSE(Graph::ring(6).has_one_length());
  EXPECT_FALSE(Graph(std::vector<Graph::Neighbours>(2)).has_one_length());
  // 0 -> 1 <- 2. Rank 3 has no edge and knows no length; or it sends to 2, which may be other
  // blocks than those that 2 sends; or also to 1.
  std::vector<Graph::Neighbours> ranks(4);
  ranks[0].destinations = {{1, 0}};
  ranks[2].destinations = {{1, 0}};
  ranks[1].sources = {{0, 0}, {2, 1}};
  EXPECT_FALSE(Graph(ranks).has_one_length());
  ranks[3].destinations = {{2, 0}};
  ranks[2].sources = {{3, 0}};
  EXPECT_FALSE(Graph(ranks).has_one_length());
  ranks[3].destinations.push_back({1, 1});
  ranks[1].sources.push_back({3, 2});
  EXPECT_TRUE(Graph(ranks).has_one_length());
}

// The lengths of its dimensions.
std::vector<int> lengths_of(const Grid& grid) {
  std::vector<int> lengths;
  for (int k = 0; k < grid.dimensions(); ++k) {
    lengths.push_back(grid.stride(k) / grid.stride(k + 1));
  }
  return lengths;
}

TEST(Grid, IsThatOfATorus) {
  for (const std::vector<int>& lengths : {std::vector{7}, {5, 6}, {4, 3, 5}, {3, 5, 3, 4}}) {
    const Graph torus = Graph::cartesian(lengths, std::vector<bool>(lengths.size(), true));
    EXPECT_EQ(lengths_of(torus.grid()), lengths);
    EXPECT_EQ(torus.grid().directions(), 2 * static_cast<int>(lengths.size()));
  }
}

// Where nothing goes around, neighbours are as far from each other in the line of all ranks.
TEST(Grid, IsALineWhereThisTakesAsFewMessages) {
  const Graph graph = Graph::cartesian(std::array{4, 3, 5}, {false, false, false});
  EXPECT_EQ(lengths_of(graph.grid()), std::vector{60});
  EXPECT_EQ(graph.grid().directions(), 6);
}

TEST(Grid, OneRankAndNoEdges) {
  EXPECT_EQ(lengths_of(Graph::ring(1).grid()), std::vector{1});
  const Graph nobody(std::vector<Graph::Neighbours>(6));
  EXPECT_EQ(lengths_of(nobody.grid()), std::vector{6});
  EXPECT_EQ(nobody.grid().directions(), 0);
}

// Where all send to all, halving takes the fewest messages.
TEST(Grid, OfAllToAll) {
  std::vector<Ends> edges;
  for (int from = 0; from < 16; ++from) {
    for (int to = 0; to < 16; ++to) edges.push_back({from, to});
  }
  const Grid grid(16, edges);
  EXPECT_EQ(lengths_of(grid), (std::vector{2, 2, 2, 2}));
  EXPECT_EQ(grid.directions(), 4);
  EXPECT_EQ(grid.directions(0), 1);
  // From 0b0110 to 0b1011, one bit after the other.
  EXPECT_EQ(grid.place(0, {6, 11}), 6);
  EXPECT_EQ(grid.place(1, {6, 11}), 14);
  EXPECT_EQ(grid.place(2, {6, 11}), 10);
  EXPECT_EQ(grid.place(3, {6, 11}), 10);
  EXPECT_EQ(grid.place(4, {6, 11}), 11);
}

}  // namespace
}  // namespace roundelay
