// SPDX-License-Identifier: Apache-2.0
// Whether ranks were started together.
#pragma once

#include <mpi.h>

namespace roundelay::mpi {

// Whether all ranks of an intra- or intercommunicator are of this process's MPI_COMM_WORLD. Then
// all of them know it; of ranks that MPI_Comm_spawn or MPI_Comm_connect brought together none does.
// Sends nothing.
[[nodiscard]] bool is_one_world(MPI_Comm comm);

}  // namespace roundelay::mpi
