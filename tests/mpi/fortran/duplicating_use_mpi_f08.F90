! SPDX-License-Identifier: Apache-2.0
! MPI_Comm_idup through the module mpi_f08, without the argument ierror.
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define IERROR
program duplicating_use_mpi_f08
  use mpi_f08
  implicit none
#include "duplicating.inc"
end program duplicating_use_mpi_f08
