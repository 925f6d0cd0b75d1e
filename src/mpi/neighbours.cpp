// SPDX-License-Identifier: Apache-2.0
#include "mpi/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace roundelay::mpi {

namespace {

int topology_of(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  return topology;
}

// A list of neighbours, each of which has a block; some may not exist.
std::vector<Edge> edges_to(std::span<const int> peers) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (peers[i] != MPI_PROC_NULL) edges.push_back({peers[i], static_cast<int>(i)});
  }
  return edges;
}

Graph cartesian(MPI_Comm comm) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  const auto count = static_cast<std::size_t>(dimensions);
  // One more, so that there is an address where there are no dimensions.
  std::vector<int> lengths(count + 1);
  std::vector<int> periodic(count + 1);
  std::vector<int> own(count + 1);
  PMPI_Cart_get(comm, dimensions, lengths.data(), periodic.data(), own.data());
  return Graph::cartesian(std::span(lengths).first(count),
                          std::vector<bool>(periodic.begin(), periodic.end()));
}

// Each rank's neighbours are both its sources and its destinations.
Graph general(MPI_Comm comm) {
  int nodes = 0;
  int edges = 0;
  PMPI_Graphdims_get(comm, &nodes, &edges);
  std::vector<int> ends(static_cast<std::size_t>(nodes));
  std::vector<int> peers(static_cast<std::size_t>(edges) + 1);
  PMPI_Graph_get(comm, nodes, edges, ends.data(), peers.data());
  std::vector<Graph::Neighbours> ranks;
  int first = 0;
  for (const int end : ends) {
    const auto own = edges_to(std::span(peers).subspan(static_cast<std::size_t>(first),
                                                       static_cast<std::size_t>(end - first)));
    ranks.push_back({own, own});
    first = end;
  }
  return Graph(std::move(ranks));
}

// Every rank knows its own neighbours only, and tells the others: first the sources, then the
// destinations.
Graph distributed(MPI_Comm comm) {
  int p = 0;
  PMPI_Comm_size(comm, &p);
  const auto size = static_cast<std::size_t>(p);
  const NeighbourCounts counts = count_neighbours(comm);
  std::vector<int> own(static_cast<std::size_t>(counts.sources + counts.destinations) + 1);
  PMPI_Dist_graph_neighbors(comm, counts.sources, own.data(), MPI_UNWEIGHTED, counts.destinations,
                            own.data() + counts.sources, MPI_UNWEIGHTED);
  std::vector<NeighbourCounts> of_all(size);
  PMPI_Allgather(&counts, 2, MPI_INT, of_all.data(), 2, MPI_INT, comm);
  std::vector<int> lengths;
  for (const NeighbourCounts& one : of_all) lengths.push_back(one.sources + one.destinations);
  std::vector<int> places(size);
  std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
  std::vector<int> all(static_cast<std::size_t>(places.back() + lengths.back()) + 1);
  PMPI_Allgatherv(own.data(), counts.sources + counts.destinations, MPI_INT, all.data(),
                  lengths.data(), places.data(), MPI_INT, comm);
  std::vector<Graph::Neighbours> ranks;
  for (std::size_t rank = 0; rank < size; ++rank) {
    const std::span lists = std::span(all).subspan(static_cast<std::size_t>(places[rank]),
                                                   static_cast<std::size_t>(lengths[rank]));
    const auto sources = static_cast<std::size_t>(of_all[rank].sources);
    ranks.push_back({edges_to(lists.first(sources)), edges_to(lists.subspan(sources))});
  }
  return Graph(std::move(ranks));
}

// A call of one int for each block, to its end.
using Exchange = void(const int* sent, int* received, MPI_Comm comm);

void exchange(const int* sent, int* received, MPI_Comm comm) {
  PMPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm);
}

void exchange_later(const int* sent, int* received, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ineighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm, &request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

// What the MPI library receives of 0, 1, .. on a communicator of one rank, its own neighbour by
// every edge; which it frees.
template <std::size_t blocks>
bool receives(MPI_Comm comm, const std::array<int, blocks>& right, Exchange* exchanged) {
  std::array<int, blocks> sent{};
  std::array<int, blocks> received{};
  std::iota(sent.begin(), sent.end(), 0);
  exchanged(sent.data(), received.data(), comm);
  PMPI_Comm_free(&comm);
  return received == right;
}

// Open MPI before 4.1 and MPICH before 5.0.2 do not, each in its own way: so it is asked.
bool library_pairs_as_standard(Exchange* exchanged) {
  constexpr std::array ones{1, 1};
  constexpr std::array<int, 2> own{};
  MPI_Comm grid = MPI_COMM_NULL;
  PMPI_Cart_create(MPI_COMM_SELF, 2, ones.data(), ones.data(), 0, &grid);
  MPI_Comm graph = MPI_COMM_NULL;
  PMPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 2, own.data(), MPI_UNWEIGHTED, 2, own.data(),
                                  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  const bool grids = receives(grid, std::array{1, 0, 3, 2}, exchanged);
  return receives(graph, std::array{0, 1}, exchanged) && grids;
}

bool library_pairs_as_standard() {
  static const bool it_does = library_pairs_as_standard(exchange);
  return it_does;
}
bool library_pairs_as_standard_later() {
  static const bool it_does = library_pairs_as_standard(exchange_later);
  return it_does;
}

// Whether some rank has more than one edge from the same rank.
bool has_parallel_edges(const Graph& graph) {
  return std::ranges::any_of(std::views::iota(0, graph.ranks()), [&](int rank) {
    std::vector<int> peers;
    for (const Edge from : graph.sources(rank)) peers.push_back(from.peer);
    std::ranges::sort(peers);
    return std::ranges::adjacent_find(peers) != peers.end();
  });
}

}  // namespace

bool has_neighbours(MPI_Comm comm) { return topology_of(comm) != MPI_UNDEFINED; }

NeighbourCounts count_neighbours(MPI_Comm comm) {
  NeighbourCounts counts;
  switch (topology_of(comm)) {
    case MPI_CART: {
      PMPI_Cartdim_get(comm, &counts.sources);
      counts.sources *= 2;
      counts.destinations = counts.sources;
      break;
    }
    case MPI_GRAPH: {
      int rank = 0;
      PMPI_Comm_rank(comm, &rank);
      PMPI_Graph_neighbors_count(comm, rank, &counts.sources);
      counts.destinations = counts.sources;
      break;
    }
    case MPI_DIST_GRAPH: {
      int weighted = 0;
      PMPI_Dist_graph_neighbors_count(comm, &counts.sources, &counts.destinations, &weighted);
      break;
    }
    default: break;
  }
  return counts;
}

std::shared_ptr<const Graph> graph_of(MPI_Comm comm) {
  switch (topology_of(comm)) {
    case MPI_CART: return std::make_shared<const Graph>(cartesian(comm));
    case MPI_GRAPH: return std::make_shared<const Graph>(general(comm));
    default: return std::make_shared<const Graph>(distributed(comm));
  }
}

bool pairs_as_standard(const Graph& graph) {
  return !has_parallel_edges(graph) || library_pairs_as_standard();
}

bool pairs_as_standard_later(const Graph& graph) {
  return !has_parallel_edges(graph) || library_pairs_as_standard_later();
}

void ask_how_library_pairs() {
  library_pairs_as_standard();
  library_pairs_as_standard_later();
}

}  // namespace roundelay::mpi
