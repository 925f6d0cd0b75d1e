/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of doubles depend on their order, and which of two zeros is the larger one on the MPI
 * library; every rank has to get the same bits. With any argument the calls do not block. */
#include "support/check.h"

enum { most = 4097 };

static double mine[most];
static int blocking = 1;

static void reduce(double* result, int count, MPI_Op op) {
  double sum = 0;
  MPI_Request request;
  if (blocking) {
    MPI_Allreduce(mine, result, count, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return;
  }
  /* What comes for the first one while the second one waits is put aside. */
  MPI_Iallreduce(mine, result, count, MPI_DOUBLE, op, MPI_COMM_WORLD, &request);
  MPI_Allreduce(mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void check_same_bits(int count, MPI_Op op) {
  static double result[most], theirs[most];
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  reduce(result, count, op);
  memcpy(theirs, result, sizeof result);
  MPI_Sendrecv(result, count, MPI_DOUBLE, (rank + 1) % size, 0, theirs, count, MPI_DOUBLE,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(memcmp(result, theirs, (size_t)count * sizeof *result) == 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  blocking = argc == 1;
  if (!blocking) MPI_Barrier(MPI_COMM_WORLD); /* the ranks agree */
  srand(4711u + (unsigned)check_rank(MPI_COMM_WORLD));
  for (int i = 0; i < most; ++i) mine[i] = (rand() - RAND_MAX / 2) * (i % 3 ? 1e-9 : 1e9) / 3;
  for (int count = 1; count <= most; count = count * 4 - (count > 1)) {
    check_same_bits(count, MPI_SUM);
  }
  for (int i = 0; i < most; ++i) mine[i] = rand() % 2 ? 0.0 : -0.0;
  for (int count = 1; count <= most; count += count < 40 ? 1 : count) {
    check_same_bits(count, MPI_MAX);
  }
  return check_end();
}
