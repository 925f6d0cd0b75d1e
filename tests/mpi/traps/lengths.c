/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives on messages, or on blocks, of as many bytes as each argument says. */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int size = check_size(MPI_COMM_WORLD);
  const int rank = check_rank(MPI_COMM_WORLD);
  for (int i = 1; i < argc; ++i) {
    const int length = atoi(argv[i]);
    char* block = malloc((size_t)length);
    char* all = malloc((size_t)length * (size_t)size);
    char* others = malloc((size_t)length * (size_t)size);
    memset(block, rank + 1, (size_t)length);
    MPI_Allgather(block, length, MPI_CHAR, all, length, MPI_CHAR, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r) {
      CHECK(all[r * length] == r + 1 && all[(r + 1) * length - 1] == r + 1);
    }
    MPI_Alltoall(all, length, MPI_CHAR, others, length, MPI_CHAR, MPI_COMM_WORLD);
    CHECK(others[0] == rank + 1 && others[length * size - 1] == rank + 1);
    MPI_Bcast(block, length, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(block[0] == 1 && block[length - 1] == 1);
    MPI_Allreduce(block, all, length, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all[0] == size && all[length - 1] == size);
    MPI_Reduce(block, all, length, MPI_SIGNED_CHAR, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK(rank != 0 || (all[0] == size && all[length - 1] == size));
    memset(others, 1, (size_t)length * (size_t)size);
    MPI_Reduce_scatter_block(others, block, length, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    CHECK(block[0] == size && block[length - 1] == size);
    free(others);
    free(block);
    free(all);
  }
  return check_end();
}
