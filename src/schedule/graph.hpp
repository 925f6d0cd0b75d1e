// SPDX-License-Identifier: Apache-2.0
// Who sends to whom in a neighbourhood collective: a directed graph of the ranks of a communicator.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "schedule/grid.hpp"

namespace roundelay {

// One end of an edge: the rank at the other end, and which of the own blocks goes along it.
struct Edge {
  int peer = 0;
  int block = 0;

  friend bool operator==(Edge, Edge) = default;
};

// Of two ranks, the k-th edge from the one to the other in the list of the sender is the k-th in
// the list of the receiver (MPI 4.1, section 8.6). A rank may be its own neighbour.
class Graph {
 public:
  // What one rank knows. Blocks that no edge has are of neighbours that do not exist.
  struct Neighbours {
    std::vector<Edge> sources;
    std::vector<Edge> destinations;

    friend bool operator==(const Neighbours&, const Neighbours&) = default;
  };

  // Of each rank.
  explicit Graph(std::vector<Neighbours> ranks);

  // That of MPI_Cart_create. In each dimension a rank's blocks are first that of the neighbour in
  // the negative direction, then the other. What is sent in one direction arrives from the other,
  // also where both neighbours are the same rank.
  static Graph cartesian(std::span<const int> lengths, const std::vector<bool>& periodic);
  // So many ranks in a circle.
  static Graph ring(int ranks) { return cartesian({&ranks, 1}, {true}); }

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] std::span<const Edge> sources(int rank) const noexcept { return of(rank).sources; }
  [[nodiscard]] std::span<const Edge> destinations(int rank) const noexcept {
    return of(rank).destinations;
  }
  // Blocks that a rank has for others, and from them.
  [[nodiscard]] int sent_blocks(int rank) const noexcept { return blocks(destinations(rank)); }
  [[nodiscard]] int received_blocks(int rank) const noexcept { return blocks(sources(rank)); }
  // Edges of the rank that has most, to it or from it.
  [[nodiscard]] int degree() const noexcept { return degree_; }
  // Whether every rank can conclude that all blocks have one length: every rank has an edge, and
  // the edges form one connected component, if edges that share a sender or a receiver are linked.
  [[nodiscard]] bool has_one_length() const noexcept { return has_one_length_; }
  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }

  // Whether each edge is in the lists of both its ranks.
  [[nodiscard]] bool consistent() const;
  // The sender's end of the edge that is the index-th of a rank's sources, in a consistent graph.
  [[nodiscard]] Edge sent_along(int rank, std::size_t index) const;

  // To whom each rank sends: "0:1,2 1:0 2:".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Graph&, const Graph&) = default;

 private:
  [[nodiscard]] const Neighbours& of(int rank) const noexcept {
    return ranks_[static_cast<std::size_t>(rank)];
  }
  static int blocks(std::span<const Edge> edges) noexcept;
  [[nodiscard]] std::vector<Ends> edges() const;

  std::vector<Neighbours> ranks_;
  int degree_ = 0;
  bool has_one_length_ = false;
  Grid grid_{1, {}};
};

}  // namespace roundelay
