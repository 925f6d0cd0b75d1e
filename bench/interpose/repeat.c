/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_Allreduce of one double, as often as the argument says. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  double mine = 1, sum = 0;
  for (int i = 0; i < times; ++i)
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
