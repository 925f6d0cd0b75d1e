/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of reduce_scatter on messages of one length, whose blocks are even in one call and not in
 * the next. */
#include "support/check.h"

enum { most_ranks = 8, block = 4, calls = 8 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int size = check_size(MPI_COMM_WORLD);
  const int rank = check_rank(MPI_COMM_WORLD);
  CHECK(size > 1 && size <= most_ranks);
  int sent[most_ranks * block], received[2 * block];
  for (int call = 0; call < calls; ++call) {
    int counts[most_ranks];
    for (int r = 0; r < size; ++r) counts[r] = block;
    if (call % 2 == 1) {
      ++counts[0];
      --counts[size - 1];
    }
    int first = 0;
    for (int r = 0; r < rank; ++r) first += counts[r];
    check_fill(sent, size * block, call, 1);
    check_fill(received, 2 * block, -1, 0);
    MPI_Reduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(check_run(received, counts[rank], size * (first + call), size));
    CHECK(received[counts[rank]] == -1);
    CHECK(check_run(sent, size * block, call, 1));
  }
  return check_end();
}
