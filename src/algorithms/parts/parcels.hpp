// SPDX-License-Identifier: Apache-2.0
// What goes along the edges of a graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/agents.hpp"

namespace roundelay {

// What a rank sends: one block along all edges, or to each its own.
class Sent {
 public:
  explicit Sent(const Problem& x)
      : alike_(sends_one_block(x.choice->algorithm->collective)),
        blocks_(alike_ ? Blocks::even(x.input, 1) : x.given) {}

  [[nodiscard]] bool alike() const noexcept { return alike_; }
  [[nodiscard]] Slice along(int block) const { return blocks_[alike_ ? 0 : block]; }

 private:
  bool alike_;
  Blocks blocks_;
};

// An edge; which block goes along it, and which of the edges it is, of those of the end that was
// asked.
struct Parcel {
  int from;
  int to;
  int block;
  int edge;
};

// By sender, receiver and, between these, as they count their edges (see Graph): so both ends have
// them in the same order.
inline std::vector<Parcel> in_order(std::vector<Parcel> parcels) {
  std::ranges::sort(parcels, {},
                    [](const Parcel& one) { return std::tuple(one.from, one.to, one.edge); });
  return parcels;
}

// What these ranks send to some, or are sent by some.
enum class ParcelEnd : std::uint8_t { sender, receiver };
template <typename Some>
[[nodiscard]] std::vector<Parcel> parcels_at(ParcelEnd end, const Some& some, const Graph& graph,
                                             std::span<const int> ranks) {
  const bool sent = end == ParcelEnd::sender;
  std::vector<Parcel> parcels;
  for (const int rank : ranks) {
    int edge = 0;
    for (const Edge along : sent ? graph.destinations(rank) : graph.sources(rank)) {
      if (some(along.peer)) {
        parcels.push_back({sent ? rank : along.peer, sent ? along.peer : rank, along.block, edge});
      }
      ++edge;
    }
  }
  return in_order(std::move(parcels));
}
template <typename Some>
[[nodiscard]] std::vector<Parcel> parcels_to(const Some& some, const Graph& graph,
                                             std::span<const int> ranks) {
  return parcels_at(ParcelEnd::sender, some, graph, ranks);
}
template <typename Some>
[[nodiscard]] std::vector<Parcel> parcels_from(const Some& some, const Graph& graph,
                                               std::span<const int> ranks) {
  return parcels_at(ParcelEnd::receiver, some, graph, ranks);
}

// Edges of the rank that has most, to it or from it.
inline Formula degree() {
  return Formula::of("degree", [](const Dimensions& of) -> double {
    return of.graph != nullptr ? of.graph->degree() : of.p;
  });
}

// Parcels of others that the rank with most of them collects and hands out, if each rank stands for
// its node as agent() says.
[[nodiscard]] inline double parcels_passed_on(const Graph& graph, const Partition& nodes) {
  std::vector<int> passed(static_cast<std::size_t>(graph.ranks()));
  const auto count = [&](int rank, int peer) {
    const int node = nodes.part_of(rank);
    const int other = nodes.part_of(peer);
    if (node == other) return;
    const int by = nodes.members(node)[agent(nodes, node, other)];
    if (by != rank) ++passed[static_cast<std::size_t>(by)];
  };
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    for (const Edge to : graph.destinations(rank)) count(rank, to.peer);
    for (const Edge from : graph.sources(rank)) count(rank, from.peer);
  }
  return std::ranges::max(passed);
}
// The same if they go along the dimensions of the grid.
[[nodiscard]] inline double parcels_passed_on(const Graph& graph) {
  std::vector<int> passed(static_cast<std::size_t>(graph.ranks()));
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    for (const Edge to : graph.destinations(rank)) {
      int last = rank;
      for (int k = 1; k < graph.grid().dimensions(); ++k) {
        const int place = graph.grid().place(k, {rank, to.peer});
        if (place != last && place != to.peer) ++passed[static_cast<std::size_t>(place)];
        last = place;
      }
    }
  }
  return std::ranges::max(passed);
}

}  // namespace roundelay
