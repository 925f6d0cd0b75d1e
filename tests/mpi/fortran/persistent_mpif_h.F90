! SPDX-License-Identifier: Apache-2.0
! Persistent collectives through mpif.h.
#define REQUEST integer
#define IERROR , error
program persistent_mpif_h
  implicit none
  include 'mpif.h'
#include "persistent.inc"
end program persistent_mpif_h
