// SPDX-License-Identifier: Apache-2.0
// Measures how fast messages between nodes are.
#pragma once

#include <cstdint>

#include "mpi/communicator.hpp"
#include "mpi/network_speed.hpp"

namespace roundelay::mpi {

// By messages between rank 0 and the first rank on another node, and then of all; `node` is equal
// on ranks of one node. Where several sites are known, inside these, but if that of rank 0 has only
// one node. Collective; every rank gets the same. Unknown if there is only one node.
NetworkSpeed measure_network(Communicator& comm, std::uint64_t node);

// Between the first two ranks that share a node, adds it to `speed`. Collective; every rank gets
// the same. Nothing where no two do, or nobody knows.
void measure_inside_a_node(Communicator& comm, NetworkSpeed& speed);

// Between the first two of several sites, adds it to `speed`. Collective; every rank gets the same.
void measure_between_sites(Communicator& comm, NetworkSpeed& speed);

}  // namespace roundelay::mpi
