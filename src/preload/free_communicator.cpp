// SPDX-License-Identifier: Apache-2.0
// The calls that free a communicator: the program's delete callbacks, which run inside them, may
// call collectives on it (see PerCommunicator::Freeing).
#include "mpi/per_communicator.hpp"
#include "preload/communicator_state.hpp"
#include "preload/interpose.hpp"
#include "preload/native.hpp"
#if ROUNDELAY_OPEN_MPI || ROUNDELAY_MPICH  // the standard ABI has no MPI_Fint
#include "preload/fortran.hpp"
#endif

namespace roundelay::preload {
namespace {

using Free = int(MPI_Comm*);
Free* const next_free = next_definition("MPI_Comm_free", PMPI_Comm_free);
Free* const next_disconnect = next_definition("MPI_Comm_disconnect", PMPI_Comm_disconnect);

int free_by(Free* next, MPI_Comm* comm) {
  const PerCommunicator<CommunicatorState>::Freeing freeing(comm != nullptr ? *comm
                                                                            : MPI_COMM_NULL);
  return next(comm);
}

#if ROUNDELAY_OPEN_MPI || ROUNDELAY_MPICH
// Fortran's handles are integers.
void free_by(Free* next, MPI_Fint* comm, MPI_Fint* ierror) {
  MPI_Comm handle = PMPI_Comm_f2c(*comm);
  const int error = free_by(next, &handle);
  if (error == MPI_SUCCESS) *comm = PMPI_Comm_c2f(handle);
  answer(ierror, error);
}
#endif

}  // namespace

ROUNDELAY_EXPORT int MPI_Comm_free(MPI_Comm* comm) { return free_by(next_free, comm); }
ROUNDELAY_EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) { return free_by(next_disconnect, comm); }

#if ROUNDELAY_OPEN_MPI
// Open MPI's Fortran layer calls PMPI_*.
ROUNDELAY_FORTRAN(mpi_comm_free, MPI_COMM_FREE, ompi_comm_free_f,
                  (MPI_Fint * comm, MPI_Fint* ierror)) {
  free_by(next_free, comm, ierror);
}
ROUNDELAY_FORTRAN(mpi_comm_disconnect, MPI_COMM_DISCONNECT, ompi_comm_disconnect_f,
                  (MPI_Fint * comm, MPI_Fint* ierror)) {
  free_by(next_disconnect, comm, ierror);
}
#elif ROUNDELAY_MPICH
// MPICH's Fortran layer calls MPI_*, but for these procedures of mpi_f08.
ROUNDELAY_EXPORT void mpi_comm_free_f08_(MPI_Fint* comm, MPI_Fint* ierror) {
  free_by(next_free, comm, ierror);
}
ROUNDELAY_EXPORT void mpi_comm_disconnect_f08_(MPI_Fint* comm, MPI_Fint* ierror) {
  free_by(next_disconnect, comm, ierror);
}
#endif

}  // namespace roundelay::preload
