// SPDX-License-Identifier: Apache-2.0
// Graphs that are drawn: who is whose neighbour, alike on every rank.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/dice.hpp"

namespace test {

class Graph {
 public:
  struct Edge {
    int from;
    int to;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };

  // One in four has several edges between some ranks. Edges lead to their own rank, too, and need
  // not lead back; there may be none.
  Graph(std::uint64_t seed, int ranks) {
    Dice dice{seed, static_cast<std::uint64_t>(ranks)};
    const int density = 1 + dice.below(8);
    const bool parallel = dice.one_in(4);
    for (int pair = 0; pair < ranks * ranks; ++pair) {
      if (dice.below(8) >= density) continue;
      for (int times = parallel ? 1 + dice.below(3) : 1; times > 0; --times) {
        edges_.push_back({pair / ranks, pair % ranks});
      }
    }
    for (std::size_t i = edges_.size(); i > 1; --i) {
      std::swap(edges_[i - 1], edges_[static_cast<std::size_t>(dice.below(static_cast<int>(i)))]);
    }
    by_rank_ = dice.one_in(2);
  }

  [[nodiscard]] const Edge& edge(int number) const {
    return edges_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] bool has_parallel_edges() const {
    std::vector<Edge> sorted = edges_;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
  }
  [[nodiscard]] bool empty() const { return edges_.empty(); }

  // The edges of a rank, by their numbers, in the order of its blocks. Of those between the same
  // two ranks the first is the first at both ends.
  [[nodiscard]] std::vector<int> into(int rank) const {
    std::vector<int> numbers = numbers_of(rank, &Edge::to);
    if (by_rank_) std::ranges::stable_sort(numbers, {}, [&](int each) { return edge(each).from; });
    return numbers;
  }
  [[nodiscard]] std::vector<int> out_of(int rank) const { return numbers_of(rank, &Edge::from); }

  // A communicator with these neighbours.
  [[nodiscard]] MPI_Comm over(MPI_Comm comm) const {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const std::vector<int> sources = ends(into(rank), &Edge::from);
    const std::vector<int> destinations = ends(out_of(rank), &Edge::to);
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(comm, static_cast<int>(sources.size()), sources.data(),
                                   MPI_UNWEIGHTED, static_cast<int>(destinations.size()),
                                   destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    return graph;
  }

 private:
  [[nodiscard]] std::vector<int> numbers_of(int rank, int Edge::* end) const {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].*end == rank) numbers.push_back(static_cast<int>(i));
    }
    return numbers;
  }
  [[nodiscard]] std::vector<int> ends(const std::vector<int>& numbers, int Edge::* end) const {
    std::vector<int> ranks;
    ranks.reserve(numbers.size() + 1);  // so that there is an address if there are none
    for (const int number : numbers) ranks.push_back(edge(number).*end);
    return ranks;
  }

  std::vector<Edge> edges_;
  bool by_rank_ = false;  // how sources are ordered
};

}  // namespace test
