// SPDX-License-Identifier: Apache-2.0
#include "interpret/shapes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

namespace roundelay::interpret {

namespace {

// Where there are two groups, how many receive: as many as send, a multiple, one more and one less.
std::set<int> receivers_of(int p) {
  std::set<int> receivers{1, p, p + 1, 2 * p + 1};
  if (p <= 12) receivers.insert({std::max(1, p - 1), p + 2, 2 * p, 3 * p + 1});
  return receivers;
}

// Two parts and more, of equal and of unequal sizes, of ranks that follow each other or do not.
std::vector<Partition> partitions_of(int p) {
  std::vector<Partition> partitions;
  const auto add = [&](int least, auto label) {
    if (p < least) return;
    std::vector<int> labels;
    for (int rank = 0; rank < p; ++rank) labels.push_back(label(rank));
    partitions.push_back(Partition::by(labels));
  };
  add(1, [&](int rank) { return 2 * rank / p; });
  add(3, [&](int rank) { return rank == p / 2 ? 0 : 1; });
  add(4, [&](int rank) { return rank * rank % 3; });
  add(5, [&](int rank) { return rank % 2 == 0 ? 0 : rank % 4; });
  add(7, [&](int rank) { return std::bit_width(static_cast<unsigned>(5 * rank / p)); });
  if (p <= 8) add(3, [&](int rank) { return rank; });
  return partitions;
}

// The ranks of each part by turns on two nodes of its own.
Partition two_nodes_a_part(const Partition& parts) {
  std::vector<int> nodes;
  for (int rank = 0; rank < parts.ranks(); ++rank) {
    nodes.push_back(2 * parts.part_of(rank) + parts.place_of(rank) % 2);
  }
  return Partition::by(nodes);
}

// So many edges from each rank to ranks that follow from its number and `seed`, itself among them
// and some twice, as blocks of another order; some ranks have none.
std::shared_ptr<const Graph> scattered_graph(int p, unsigned seed) {
  std::vector<Graph::Neighbours> ranks(static_cast<std::size_t>(p));
  for (unsigned rank = 0; rank < ranks.size(); ++rank) {
    const unsigned edges = p > 1 && (rank + seed) % 5 == 4 ? 0 : 1 + rank * seed % 4;
    for (unsigned i = 0; i < edges; ++i) {
      const unsigned peer = (rank + seed * i * (i + 1) / 2) % static_cast<unsigned>(p);
      auto& sources = ranks[peer].sources;
      ranks[rank].destinations.push_back({static_cast<int>(peer), static_cast<int>(edges - 1 - i)});
      sources.push_back({static_cast<int>(rank), static_cast<int>(2 * sources.size())});
    }
  }
  return std::make_shared<const Graph>(std::move(ranks));
}

// A circle; a torus and a grid, of one rank in a dimension where there is no other way; scattered.
std::vector<std::shared_ptr<const Graph>> graphs_of(int p) {
  const auto cartesian = [](const std::vector<int>& lengths, const std::vector<bool>& periodic) {
    return std::make_shared<const Graph>(Graph::cartesian(lengths, periodic));
  };
  int width = std::max(1, static_cast<int>(std::sqrt(p)));
  while (p % width != 0) --width;
  return {cartesian({p}, {true}), cartesian({width, p / width}, {true, true}),
          cartesian({p / width, 1, width}, {false, true, p < 3}), scattered_graph(p, 1),
          scattered_graph(p, 7)};
}

}  // namespace

std::vector<Case> shapes_of(const Choice& choice, int p) {
  std::vector<Case> shapes;
  if (choice.algorithm->groups == Groups::two) {
    for (const int q : receivers_of(p)) shapes.push_back({.p = p, .q = q});
  } else if (choice.algorithm->uses_topology()) {
    for (const Partition& partition : partitions_of(p)) {
      Case& shape = shapes.emplace_back(Case{.p = p});
      shape.topology.at(level_of(choice)) = partition;
      // Where sites are known, so are nodes.
      if (level_of(choice) == Level::sites) shape.topology.nodes = two_nodes_a_part(partition);
    }
  } else {
    shapes.push_back({.p = p});
  }
  if (!among_neighbours(choice.algorithm->collective)) return shapes;
  std::vector<Case> with_graphs;
  for (Case& shape : shapes) {
    for (auto& graph : graphs_of(p)) {
      shape.graph = std::move(graph);
      with_graphs.push_back(shape);
    }
  }
  return with_graphs;
}

}  // namespace roundelay::interpret
