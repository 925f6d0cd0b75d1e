/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that do not wait, before and after the first one that does. */
#include "support/check.h"

static void reduce(void) {
  const int size = check_size(MPI_COMM_WORLD);
  int in[4], out[4];
  MPI_Request request;
  check_fill(in, 4, check_rank(MPI_COMM_WORLD), 1);
  MPI_Iallreduce(in, out, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(check_run(out, 4, size * (size - 1) / 2, size));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) reduce();
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) reduce();
  return check_end();
}
