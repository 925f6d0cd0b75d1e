! SPDX-License-Identifier: Apache-2.0
! All five collectives through the module mpi_f08: with two buffers, and in place.
program use_mpi_f08
  use mpi_f08
  implicit none
  integer, parameter :: count = 5
  integer :: rank, size, i, root, sum
  integer :: mine(count), result(count), all(count * 64)
  double precision :: total, unused

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  sum = size * (size - 1) / 2
  root = size - 1

  mine = merge(42, -1, rank == root)
  call MPI_Bcast(mine, count, MPI_INTEGER, root, MPI_COMM_WORLD)
  call check(all_are(mine, 42), 'bcast')

  mine = rank
  call MPI_Allgather(mine, count, MPI_INTEGER, all, count, MPI_INTEGER, MPI_COMM_WORLD)
  do i = 0, size - 1
    call check(all_are(all(count * i + 1:count * (i + 1)), i), 'allgather')
  end do
  all = -1
  all(count * rank + 1:count * (rank + 1)) = rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INTEGER, MPI_COMM_WORLD)
  do i = 0, size - 1
    call check(all_are(all(count * i + 1:count * (i + 1)), i), 'allgather in place')
  end do

  call MPI_Allreduce(mine, result, count, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check(all_are(result, sum) .and. all_are(mine, rank), 'allreduce')
  result = rank
  call MPI_Allreduce(MPI_IN_PLACE, result, count, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check(all_are(result, sum), 'allreduce in place')

  result = -1
  call MPI_Reduce(mine, result, count, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD)
  call check(all_are(result, merge(sum, -1, rank == root)), 'reduce')
  total = rank
  if (rank == root) then
    call MPI_Reduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD)
  else
    call MPI_Reduce(total, unused, 1, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD)
  end if
  call check(nint(total) == merge(sum, rank, rank == root), 'reduce in place')

  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a)', 'finished'
  call MPI_Finalize()

contains

  logical function all_are(values, value)
    integer, intent(in) :: values(:), value
    all_are = .not. any(values /= value)
  end function all_are

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(2a,i0)', what, ' is wrong on rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check
end program use_mpi_f08
