/* SPDX-License-Identifier: Apache-2.0 */
/* An MPI_Gather on each half of the ranks; then N times (first argument) an MPI_Bcast for which all
 * wait, because its root comes MS milliseconds (second argument) later. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = atoi(argv[1]);
  const useconds_t late = 1000 * (useconds_t)atoi(argv[2]);
  int rank = 0;
  int data[64] = {0};
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Gather(data, 1, MPI_INT, data + 1, 1, MPI_INT, 0, half);
  MPI_Comm_free(&half);
  for (int i = 0; i < times; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) usleep(late);
    MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
