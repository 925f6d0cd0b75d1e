/* SPDX-License-Identifier: Apache-2.0 */
/* Says "up" once all ranks run, and then calls collectives until it is ended. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0;; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (i == 0 && rank == 0) {
      puts("up");
      fflush(stdout);
    }
    usleep(1000);
  }
}
