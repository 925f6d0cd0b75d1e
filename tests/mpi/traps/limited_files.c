/* SPDX-License-Identifier: Apache-2.0 */
/* From MPI_Init on files may have 200 bytes only. Whoever writes more is ended by SIGXFSZ. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct rlimit little = {200, 200};
  setrlimit(RLIMIT_FSIZE, &little);
  int data = 1, sum = 0, rank = 0;
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&data, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (rank == 0) puts("finished");
  return 0;
}
