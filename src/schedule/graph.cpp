// SPDX-License-Identifier: Apache-2.0
#include "schedule/graph.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace roundelay {

namespace {

// Whether each rank has an edge, and all edges are linked. Rank r as a sender is r here, and as a
// receiver r + ranks.
bool links_all(int ranks, std::span<const Ends> edges) {
  const auto n = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> parent(2 * n);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root_of = [&](std::size_t end) {
    while (parent[end] != end) end = parent[end] = parent[parent[end]];
    return end;
  };
  std::vector<bool> has_edge(n);
  for (const Ends edge : edges) {
    const auto from = static_cast<std::size_t>(edge.from);
    const auto to = static_cast<std::size_t>(edge.to);
    parent[root_of(from)] = root_of(to + n);
    has_edge[from] = has_edge[to] = true;
  }
  if (std::ranges::find(has_edge, false) != has_edge.end()) return false;
  return std::ranges::all_of(edges, [&](Ends edge) {
    return root_of(static_cast<std::size_t>(edge.from)) ==
           root_of(static_cast<std::size_t>(edges.front().from));
  });
}

}  // namespace

Graph::Graph(std::vector<Neighbours> ranks) : ranks_(std::move(ranks)) {
  const std::vector<Ends> all = edges();
  has_one_length_ = links_all(this->ranks(), all);
  grid_ = Grid(this->ranks(), all);
  for (const Neighbours& rank : ranks_) {
    const std::size_t most = std::max(rank.sources.size(), rank.destinations.size());
    degree_ = std::max(degree_, static_cast<int>(most));
  }
}

// Ranks are in row-major order.
Graph Graph::cartesian(std::span<const int> lengths, const std::vector<bool>& periodic) {
  const int p = std::accumulate(lengths.begin(), lengths.end(), 1, std::multiplies());
  std::vector<Neighbours> ranks(static_cast<std::size_t>(p));
  for (int rank = 0; rank < p; ++rank) {
    Neighbours& own = ranks[static_cast<std::size_t>(rank)];
    int stride = p;
    for (std::size_t d = 0; d < lengths.size(); ++d) {
      const int length = lengths[d];
      stride /= length;
      const int place = rank / stride % length;
      const int block = 2 * static_cast<int>(d);
      const auto neighbour = [&](int there) {
        return rank + ((there + length) % length - place) * stride;
      };
      const bool has_lower = place > 0 || periodic[d];
      const bool has_higher = place + 1 < length || periodic[d];
      if (has_lower) own.destinations.push_back({neighbour(place - 1), block});
      if (has_higher) own.destinations.push_back({neighbour(place + 1), block + 1});
      // What is sent downwards is first: it comes from above.
      if (has_higher) own.sources.push_back({neighbour(place + 1), block + 1});
      if (has_lower) own.sources.push_back({neighbour(place - 1), block});
    }
  }
  return Graph(std::move(ranks));
}

std::vector<Ends> Graph::edges() const {
  std::vector<Ends> all;
  for (int rank = 0; rank < ranks(); ++rank) {
    for (const Edge to : destinations(rank)) all.push_back({rank, to.peer});
  }
  return all;
}

int Graph::blocks(std::span<const Edge> edges) noexcept {
  int most = 0;
  for (const Edge edge : edges) most = std::max(most, edge.block + 1);
  return most;
}

bool Graph::consistent() const {
  std::vector<std::pair<int, int>> sent;
  std::vector<std::pair<int, int>> received;
  for (int rank = 0; rank < ranks(); ++rank) {
    for (const Edge to : destinations(rank)) sent.emplace_back(rank, to.peer);
    for (const Edge from : sources(rank)) received.emplace_back(from.peer, rank);
  }
  std::ranges::sort(sent);
  std::ranges::sort(received);
  return sent == received;
}

Edge Graph::sent_along(int rank, std::size_t index) const {
  const int peer = sources(rank)[index].peer;
  auto before = std::ranges::count(sources(rank).first(index), peer, &Edge::peer);
  const std::span<const Edge> theirs = destinations(peer);
  const auto found =
      std::ranges::find_if(theirs, [&](Edge to) { return to.peer == rank && before-- == 0; });
  return {rank, found->block};
}

std::string Graph::text() const {
  std::string all;
  for (int rank = 0; rank < ranks(); ++rank) {
    all += (rank > 0 ? " " : "") + std::to_string(rank) + ":";
    const char* separator = "";
    for (const Edge to : destinations(rank)) {
      all += separator + std::to_string(to.peer);
      separator = ",";
    }
  }
  return all;
}

}  // namespace roundelay
