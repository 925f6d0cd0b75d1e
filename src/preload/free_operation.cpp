// SPDX-License-Identifier: Apache-2.0
// MPI_Op_free: a call that is pending may need the operation until it is over.
#include "mpi/kept_arguments.hpp"
#include "preload/interpose.hpp"
#include "preload/native.hpp"
#if ROUNDELAY_OPEN_MPI || ROUNDELAY_MPICH  // the standard ABI has no MPI_Fint
#include "preload/fortran.hpp"
#endif

namespace roundelay::preload {
namespace {

using Free = int(MPI_Op*);
Free* const next_free = next_definition("MPI_Op_free", PMPI_Op_free);

#if ROUNDELAY_OPEN_MPI || ROUNDELAY_MPICH
// Fortran's handles are integers.
[[maybe_unused]] void free_from_fortran(MPI_Fint* op, MPI_Fint* ierror) {
  MPI_Op handle = PMPI_Op_f2c(*op);
  const int error = mpi::free_operation(&handle, next_free);
  if (error == MPI_SUCCESS) *op = PMPI_Op_c2f(handle);
  answer(ierror, error);
}
#endif

}  // namespace

ROUNDELAY_EXPORT int MPI_Op_free(MPI_Op* op) { return mpi::free_operation(op, next_free); }

#if ROUNDELAY_OPEN_MPI
ROUNDELAY_FORTRAN(mpi_op_free, MPI_OP_FREE, ompi_op_free_f, (MPI_Fint * op, MPI_Fint* ierror)) {
  free_from_fortran(op, ierror);
}
#elif ROUNDELAY_MPICH
// MPICH's Fortran layer calls MPI_*, but for this procedure of mpi_f08.
ROUNDELAY_EXPORT void mpi_op_free_f08_(MPI_Fint* op, MPI_Fint* ierror) {
  free_from_fortran(op, ierror);
}
#endif

}  // namespace roundelay::preload
