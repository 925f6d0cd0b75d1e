! SPDX-License-Identifier: Apache-2.0
! All five collectives through mpif.h: with two buffers, and in place.
program mpif_h
  implicit none
  include 'mpif.h'
  include 'five.inc'
end program mpif_h
