/* SPDX-License-Identifier: Apache-2.0 */
/* What was decided for an earlier choice of algorithms takes no memory any more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>

#include "support/check.h"

enum { times = 2000, most_growth = 1 << 20 };

static size_t in_use(void) {
  struct mallinfo2 all = mallinfo2();
  return all.uordblks;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int (*force)(const char*);
  *(void**)&force = dlsym(RTLD_DEFAULT, "roundelay_force");
  size_t before = 0;
  for (int i = 0; i < 2 * times; ++i) {
    if (i == times) before = in_use();
    int one = 1, sum = 0;
    CHECK(force(i % 2 ? "allreduce=ring" : "allreduce=recursive_doubling") == 0);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == check_size(MPI_COMM_WORLD));
  }
  CHECK(in_use() < before + most_growth);
  return check_end();
}
