// SPDX-License-Identifier: Apache-2.0
// The report at the end of the program.
#pragma once

namespace roundelay::preload {

// Collective over MPI_COMM_WORLD, before MPI_Finalize: rank 0 gathers what all ranks recorded and
// writes it where the configuration says. Frees what the library holds of MPI_COMM_WORLD.
void conclude() noexcept;

// Sees to it that a process whose MPI_Finalize is not intercepted frees what it holds all the same,
// and that its rank 0 reports what it knows alone. Cheap to call again.
void arrange_conclusion();

}  // namespace roundelay::preload
