! SPDX-License-Identifier: Apache-2.0
! Persistent collectives through the module mpi_f08, without the argument ierror.
#define REQUEST type(MPI_Request)
#define IERROR
program persistent_use_mpi_f08
  use mpi_f08
  use mpi_f08_ext
  implicit none
#include "persistent.inc"
end program persistent_use_mpi_f08
