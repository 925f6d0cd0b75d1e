/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is linked to the library: it may force algorithms and ask what ran. */
#include <mpi.h>
#include <roundelay/roundelay.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, sum = 0;
  char last[256];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (roundelay_force("allreduce=rabenseifner") != 0) {
    fprintf(stderr, "%s\n", roundelay_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  roundelay_last(last, sizeof last);
  if (rank == 0) printf("roundelay %s: sum %d by %s\n", roundelay_version(), sum, last);
  MPI_Finalize();
  return 0;
}
