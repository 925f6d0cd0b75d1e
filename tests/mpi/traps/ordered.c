/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction by an operation that is not commutative. */
#include "support/check.h"

/* x -> a x + b, the lower rank's map applied last. */
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const unsigned* lower = in;
  unsigned* higher = inout;
  for (int i = 0; i < 2 * *length; i += 2) {
    higher[i + 1] = lower[i] * higher[i + 1] + lower[i + 1];
    higher[i] = lower[i] * higher[i];
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int size = check_size(MPI_COMM_WORLD);
  const unsigned rank = (unsigned)check_rank(MPI_COMM_WORLD);
  unsigned mine[2] = {rank + 2, rank + 5}, result[2], expected[2] = {1, 0};
  MPI_Datatype map;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_UNSIGNED, &map);
  MPI_Type_commit(&map);
  MPI_Op_create(compose, 0, &op);
  for (unsigned r = 0; r < (unsigned)size; ++r) {
    expected[1] += expected[0] * (r + 5);
    expected[0] *= r + 2;
  }
  MPI_Allreduce(mine, result, 1, map, op, MPI_COMM_WORLD);
  CHECK(result[0] == expected[0] && result[1] == expected[1]);
  MPI_Op_free(&op);
  MPI_Type_free(&map);
  return check_end();
}
