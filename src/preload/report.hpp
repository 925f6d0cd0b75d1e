// SPDX-License-Identifier: Apache-2.0
// The report at the end of the program.
#pragma once

namespace roundelay::preload {

// MPI_Finalize. Before it, rank 0 gathers what all ranks recorded and writes it where the
// configuration says. Frees what the library holds of MPI_COMM_WORLD. Calls that the program made
// before go on until MPI_Finalize frees MPI_COMM_SELF. All calls after it are passed on.
int finalize();

// Sees to it that the process lets go of what it still holds when MPI_Finalize frees MPI_COMM_SELF,
// and, where its MPI_Finalize is not intercepted, of all; then rank 0 reports what it knows alone.
// Best in MPI_Init, before the program attaches anything to MPI_COMM_SELF. Cheap to call again.
void arrange_leaving();

}  // namespace roundelay::preload
