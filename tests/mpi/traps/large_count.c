/* SPDX-License-Identifier: Apache-2.0 */
/* The large-count entry points, as mpi4py calls them on MPICH; prints how many calls it made. */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
#if MPI_VERSION >= 4
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  int value = rank == 0 ? 5 : 0, sum = 0, all[64];
  MPI_Bcast_c(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(value == 5);
  MPI_Allgather_c(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) CHECK(all[r] == r);
  MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * (size - 1) / 2);
  MPI_Reduce_c(&rank, &sum, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) CHECK(sum == size - 1);
#else
  if (check_rank(MPI_COMM_WORLD) == 0) puts("not provided");
#endif
  return check_end();
}
