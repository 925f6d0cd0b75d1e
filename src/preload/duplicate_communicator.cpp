// SPDX-License-Identifier: Apache-2.0
// The calls that begin to duplicate a communicator, and do not wait until that is done.
#if ROUNDELAY_OPEN_MPI

#include "mpi/duplicates.hpp"
#include "preload/fortran.hpp"
#include "preload/interpose.hpp"
#include "preload/native.hpp"

namespace roundelay::preload {
namespace {

const auto next_idup = next_definition("MPI_Comm_idup", PMPI_Comm_idup);
int (*const next_idup_with_info)(MPI_Comm, MPI_Info, MPI_Comm*,
                                 MPI_Request*) = IfAny("Comm_idup_with_info");

int begun(int error, MPI_Comm comm, const MPI_Request* request) {
  if (error == MPI_SUCCESS) mpi::note_duplicate(comm, *request);
  return error;
}

// What a Fortran program gets, whose handles are integers.
struct Begun {
  MPI_Comm duplicate = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;

  void give(MPI_Fint* duplicate_f, MPI_Fint* request_f) const {
    *duplicate_f = PMPI_Comm_c2f(duplicate);
    *request_f = PMPI_Request_c2f(request);
  }
};

}  // namespace

ROUNDELAY_EXPORT int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* duplicate, MPI_Request* request) {
  return begun(next_idup(comm, duplicate, request), comm, request);
}
// Open MPI has it from version 5 on.
ROUNDELAY_EXPORT int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* duplicate,
                                             MPI_Request* request) {
  const int error = pass_on(next_idup_with_info, comm, comm, info, duplicate, request);
  return begun(error, comm, request);
}

// Open MPI's Fortran layer calls PMPI_*.
ROUNDELAY_FORTRAN(mpi_comm_idup, MPI_COMM_IDUP, ompi_comm_idup_f,
                  (MPI_Fint * comm_f, MPI_Fint* duplicate_f, MPI_Fint* request_f,
                   MPI_Fint* ierror)) {
  const MPI_Comm comm = PMPI_Comm_f2c(*comm_f);
  Begun its;
  const int error = begun(next_idup(comm, &its.duplicate, &its.request), comm, &its.request);
  if (error == MPI_SUCCESS) its.give(duplicate_f, request_f);
  answer(ierror, error);
}
ROUNDELAY_FORTRAN(mpi_comm_idup_with_info, MPI_COMM_IDUP_WITH_INFO, ompi_comm_idup_with_info_f,
                  (MPI_Fint * comm_f, MPI_Fint* info_f, MPI_Fint* duplicate_f, MPI_Fint* request_f,
                   MPI_Fint* ierror)) {
  const MPI_Comm comm = PMPI_Comm_f2c(*comm_f);
  Begun its;
  const int error =
      MPI_Comm_idup_with_info(comm, PMPI_Info_f2c(*info_f), &its.duplicate, &its.request);
  if (error == MPI_SUCCESS) its.give(duplicate_f, request_f);
  answer(ierror, error);
}

}  // namespace roundelay::preload

#endif
