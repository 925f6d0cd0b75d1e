// SPDX-License-Identifier: Apache-2.0
// MPICH's Fortran layer calls the C functions MPI_*, which are caught, but for the mpi_f08
// procedures without a buffer: those call PMPI_* and are defined here. TYPE(MPI_Comm) holds one
// integer.
#if ROUNDELAY_MPICH

#include "preload/interpose_moving.hpp"
#include "preload/native.hpp"
#include "preload/report.hpp"

using roundelay::preload::native;

ROUNDELAY_EXPORT void mpi_barrier_f08_(const MPI_Fint* comm, MPI_Fint* ierror) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const int error = roundelay::preload::barrier(where, [&] { return native.barrier(where); });
  if (ierror != nullptr) *ierror = error;
}

ROUNDELAY_EXPORT void mpi_finalize_f08_(MPI_Fint* ierror) {
  roundelay::preload::conclude();
  const int error = native.finalize();
  if (ierror != nullptr) *ierror = error;
}

#endif
