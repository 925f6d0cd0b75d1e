// SPDX-License-Identifier: Apache-2.0
// How long short messages and others are under way. Of each time the least of several counts, for
// only that says something of the network.
#pragma once

#include <mpi.h>

#include "schedule/group.hpp"

namespace roundelay::mpi {

// Seconds of one way, by messages there and back between two ranks, of which one is `first`: only
// what it gets is a time.
[[nodiscard]] double one_way(int bytes, int times, int peer, bool first, MPI_Comm comm);

// Seconds in which this rank combines a byte.
[[nodiscard]] double combined_byte();

// The same two ranks: seconds between one and the next of short messages that are under way
// together, where one alone takes `startup`.
[[nodiscard]] double gap(double startup, int peer, bool first, MPI_Comm comm);

// Collective among some ranks, of which the caller is one: seconds of a round in which each of them
// sends so many bytes to the one that is so far ahead.
[[nodiscard]] double shift_of_all(int bytes, int distance, const Group& g, MPI_Comm comm);

// Collective among some ranks, of which the caller is one: seconds of a round in which each of them
// sends and receives a short message, as they share cores and links; and of one in which they do so
// by synchronous sends.
[[nodiscard]] double round_of_all(const Group& g, MPI_Comm comm);
[[nodiscard]] double paced_round_of_all(const Group& g, MPI_Comm comm);

}  // namespace roundelay::mpi
