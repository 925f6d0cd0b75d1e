/* SPDX-License-Identifier: Apache-2.0 */
/* All collectives, N times (first argument) with COUNT ints (second argument). */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  const int count = argc > 2 ? atoi(argv[2]) : 10;
  for (int i = 0; i < times; ++i) check_collectives(MPI_COMM_WORLD, count);
  return check_end();
}
