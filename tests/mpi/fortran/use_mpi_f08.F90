! SPDX-License-Identifier: Apache-2.0
! All blocking collectives through the module mpi_f08, without the argument ierror.
#define DATATYPE type(MPI_Datatype)
#define COMM type(MPI_Comm)
#define IERROR
program use_mpi_f08
  use mpi_f08
  implicit none
#include "collectives.inc"
end program use_mpi_f08
