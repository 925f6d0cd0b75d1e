// SPDX-License-Identifier: Apache-2.0
// An allgather from one group of ranks to another, inside one communicator: SMPI has no
// intercommunicators, and of the two directions of one a paper looks at a single one.
#pragma once

#include "simulate/message.hpp"

namespace roundelay::simulate {

// The first m.ranks() ranks of MPI_COMM_WORLD send m.in, their block; all others receive m.out. By
// the algorithm that is forced for intercommunicators. Throws std::invalid_argument if none is.
void allgather_between(const Message& m);

}  // namespace roundelay::simulate
