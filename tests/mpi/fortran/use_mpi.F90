! SPDX-License-Identifier: Apache-2.0
! All blocking collectives through the module mpi.
#define DATATYPE integer
#define COMM integer
#define IERROR , error
program use_mpi
  use mpi
  implicit none
#include "collectives.inc"
end program use_mpi
