/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives when the main thread's thread-local objects and the library's static ones may be
 * gone: in atexit handlers, and in a destructor, which also calls MPI_Finalize.
 *   at_the_end [early]    early: also before, so that there are such objects */
#include <unistd.h>

#include "support/check.h"

enum { most = 50000 };

static int in[most], out[most];

static void use(void) {
  const int size = check_size(MPI_COMM_WORLD), rank = check_rank(MPI_COMM_WORLD);
  for (int i = 0; i < most; ++i) in[i] = rank + i;
  for (int count = 1; count <= most; count += most - 1) {
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) CHECK(out[i] == size * (size - 1) / 2 + size * i);
  }
  check_collectives(MPI_COMM_WORLD, 5);
}

/* The program's destructors run after all atexit handlers and after the destructors of C++ objects
 * in libraries. */
__attribute__((destructor)) static void end(void) {
  use();
  const int failed = check_end();
  fflush(stdout);
  if (failed) _exit(1);
}

int main(int argc, char** argv) {
  atexit(use);
  MPI_Init(&argc, &argv);
  if (argc > 1) use();
  atexit(use);
  return 0;
}
