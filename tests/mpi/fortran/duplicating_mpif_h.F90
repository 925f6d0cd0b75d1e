! SPDX-License-Identifier: Apache-2.0
! MPI_Comm_idup through mpif.h.
#define COMM integer
#define REQUEST integer
#define IERROR , error
program duplicating_mpif_h
  implicit none
  include 'mpif.h'
#include "duplicating.inc"
end program duplicating_mpif_h
