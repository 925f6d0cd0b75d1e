! SPDX-License-Identifier: Apache-2.0
! All five collectives through the module mpi: with two buffers, and in place.
program use_mpi
  use mpi
  implicit none
  include 'five.inc'
end program use_mpi
