! SPDX-License-Identifier: Apache-2.0
! Persistent collectives through the module mpi.
#define REQUEST integer
#define IERROR , error
program persistent_use_mpi
  use mpi
  implicit none
#include "persistent.inc"
end program persistent_use_mpi
