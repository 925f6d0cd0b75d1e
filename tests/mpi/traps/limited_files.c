/* SPDX-License-Identifier: Apache-2.0 */
/* Before MPI_Finalize files may have 200 bytes only. Whoever writes more is ended by SIGXFSZ. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int data = 1, sum = 0, rank = 0;
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&data, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const struct rlimit little = {200, 200};
  setrlimit(RLIMIT_FSIZE, &little);
  MPI_Finalize();
  if (rank == 0) puts("finished");
  return 0;
}
