/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of doubles depend on their order; every rank has to get the same bits. */
#include "support/check.h"

enum { most = 4097 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  static double mine[most], sum[most], theirs[most];
  srand(4711u + (unsigned)rank);
  for (int i = 0; i < most; ++i) mine[i] = (rand() - RAND_MAX / 2) * (i % 3 ? 1e-9 : 1e9) / 3;
  for (int count = 1; count <= most; count = count * 4 - (count > 1)) {
    MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    memcpy(theirs, sum, sizeof sum);
    MPI_Sendrecv(sum, count, MPI_DOUBLE, (rank + 1) % size, 0, theirs, count, MPI_DOUBLE,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(memcmp(sum, theirs, (size_t)count * sizeof *sum) == 0);
  }
  return check_end();
}
