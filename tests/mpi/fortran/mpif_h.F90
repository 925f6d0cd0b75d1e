! SPDX-License-Identifier: Apache-2.0
! All blocking collectives through mpif.h.
#define DATATYPE integer
#define COMM integer
#define IERROR , error
program mpif_h
  implicit none
  include 'mpif.h'
#include "collectives.inc"
end program mpif_h
