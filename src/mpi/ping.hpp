// SPDX-License-Identifier: Apache-2.0
// How long a message is under way.
#pragma once

#include <mpi.h>

namespace roundelay {

// Seconds of one way, by messages there and back between two ranks, of which one is `first`: only
// what it gets is a time. The least of several, for only that says something of the network.
[[nodiscard]] double one_way(int bytes, int times, int peer, bool first, MPI_Comm comm);

}  // namespace roundelay
