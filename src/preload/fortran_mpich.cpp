// SPDX-License-Identifier: Apache-2.0
// MPICH's Fortran layer calls the C functions MPI_*, which are caught, but for the mpi_f08
// procedures without a buffer: those call PMPI_* and are defined here. TYPE(MPI_Comm) holds one
// integer.
#if ROUNDELAY_MPICH

#include "preload/fortran.hpp"
#include "preload/interpose_moving.hpp"
#include "preload/native.hpp"
#include "preload/report.hpp"

namespace roundelay::preload {

ROUNDELAY_EXPORT void mpi_barrier_f08_(const MPI_Fint* comm_f, MPI_Fint* ierror) {
  const MPI_Comm comm = PMPI_Comm_f2c(*comm_f);
  answer(ierror, barrier(comm, Blocking{[&] { return native.barrier(comm); }}));
}

ROUNDELAY_EXPORT void mpi_ibarrier_f08_(const MPI_Fint* comm_f, MPI_Fint* request_f,
                                        MPI_Fint* ierror) {
  const MPI_Comm comm = PMPI_Comm_f2c(*comm_f);
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = barrier(comm, WithRequest{Form::nonblocking, Collective::barrier, &request,
                                              [&] { return native.ibarrier(comm, &request); }});
  if (error == MPI_SUCCESS) *request_f = PMPI_Request_c2f(request);
  answer(ierror, error);
}

ROUNDELAY_EXPORT void mpi_barrier_init_f08_(const MPI_Fint* comm_f, const MPI_Fint* info_f,
                                            MPI_Fint* request_f, MPI_Fint* ierror) {
  const MPI_Comm comm = PMPI_Comm_f2c(*comm_f);
  const MPI_Info info = PMPI_Info_f2c(*info_f);
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = barrier(
      comm, WithRequest{Form::persistent, Collective::barrier, &request,
                        [&] { return pass_on(native.barrier_init, comm, comm, info, &request); }});
  if (error == MPI_SUCCESS) *request_f = PMPI_Request_c2f(request);
  answer(ierror, error);
}

ROUNDELAY_EXPORT void mpi_finalize_f08_(MPI_Fint* ierror) { answer(ierror, finalize()); }

}  // namespace roundelay::preload

#endif
