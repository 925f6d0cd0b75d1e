/* SPDX-License-Identifier: Apache-2.0 */
/* A root that is late in every call, and long messages from all others. */
#include <unistd.h>

#include "support/check.h"

enum { count = 50000, times = 10 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  int* mine = malloc(count * sizeof(int));
  int* all = malloc((size_t)size * count * sizeof(int));
  for (int i = 0; i < times; ++i) {
    check_fill(mine, count, rank * i, 1);
    if (rank == 0) usleep(2000);
    MPI_Gather(mine, count, MPI_INT, all, count, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < size && rank == 0; ++r) CHECK(check_run(all + r * count, count, r * i, 1));
  }
  free(mine);
  free(all);
  return check_end();
}
