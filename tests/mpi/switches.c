/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of the lengths around those at which a pipeline begins to use two blocks.
 *
 * Among six ranks that is where n = sqrt(2 m / startup) reaches 1.5. A start-up takes as long as
 * 5000 or 250000 bytes, or as was measured, which is a power of two: every one of them is tried. */
#include "support/check.h"

enum { before = 13, after = 1, element = sizeof(double) };

static double* in;
static double* out;

static double operand(int rank, int i) { return rank + i % 5; }

static void reduce_around(int count) {
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  for (int length = count - before; length <= count + after; ++length) {
    for (int i = 0; i < length; ++i) in[i] = operand(rank, i);
    for (int rooted = 0; rooted < 2; ++rooted) {
      memset(out, 0, (size_t)length * element);
      if (rooted) {
        MPI_Reduce(in, out, length, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank != 0) continue;
      } else {
        MPI_Allreduce(in, out, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      }
      int wrong = 0;
      for (int i = 0; i < length; ++i) wrong += out[i] != size * (size - 1) / 2 + size * (i % 5);
      CHECK(wrong == 0);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int longest_startup = 1 << 18;
  const size_t most = (size_t)longest_startup / 8 * 9 + 2 * after;
  in = malloc(most * element);
  out = malloc(most * element);
  for (int startup = 1 << 9; startup <= longest_startup; startup *= 2) {
    reduce_around(startup / element / 8 * 9);
  }
  reduce_around(5000 / element * 9 / 8 + 1);
  reduce_around(250000 / element * 9 / 8 + 1);
  free(in);
  free(out);
  return check_end();
}
