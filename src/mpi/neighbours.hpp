// SPDX-License-Identifier: Apache-2.0
// The graph of a communicator that MPI_Cart_create, MPI_Graph_create or one of
// MPI_Dist_graph_create's made.
#pragma once

#include <mpi.h>

#include <memory>

#include "schedule/graph.hpp"

namespace roundelay::mpi {

// Whether there is one: the same on all ranks.
[[nodiscard]] bool has_neighbours(MPI_Comm comm);

// How many blocks a rank sends and receives in a call, those for MPI_PROC_NULL included.
struct NeighbourCounts {
  int sources = 0;
  int destinations = 0;
};
[[nodiscard]] NeighbourCounts count_neighbours(MPI_Comm comm);

// The graph of all ranks; collective. Only of a communicator that has one.
[[nodiscard]] std::shared_ptr<const Graph> graph_of(MPI_Comm comm);

// Whether the MPI library pairs several edges between two ranks as MPI 4.1 says; true also if there
// are none. If not, a program would get different blocks from the MPI library and from Roundelay.
[[nodiscard]] bool pairs_as_standard(const Graph& graph);
// The same in calls that do not wait: Open MPI 4.1.4 pairs otherwise there.
[[nodiscard]] bool pairs_as_standard_later(const Graph& graph);
// Finds out now what these two functions need of the MPI library. That makes communicators, which
// with Open MPI may wait for another thread that makes one.
void ask_how_library_pairs();

}  // namespace roundelay::mpi
