/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_Allreduce of one double, as often as the argument says, for
 *
 *   valgrind --tool=callgrind --toggle-collect=measured ./repeat TIMES */
#include <mpi.h>
#include <stdlib.h>

static double mine = 1, sum;

static void call(int times) {
  for (int i = 0; i < times; ++i)
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
__attribute__((noinline)) void measured(int times) { call(times); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int first = 1000;
  call(first);
  measured(argc > 1 ? atoi(argv[1]) : 1);
  MPI_Finalize();
  return 0;
}
