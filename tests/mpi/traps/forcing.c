/* SPDX-License-Identifier: Apache-2.0 */
/* roundelay_force() in one thread while other threads are in collectives: it holds for the thread
 * that calls it, whatever the order of threads on each rank is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

#include "support/threads.h"

enum { threads = 3, times = 60 };

static int (*force)(const char*);
static size_t (*last)(char*, size_t);

struct worker {
  MPI_Comm comm;
  int number;
};

static void* work(void* argument) {
  const struct worker* self = argument;
  const int size = check_size(self->comm), rank = check_rank(self->comm);
  static const char* names[] = {"recursive_doubling", "ring", "rabenseifner"};
  for (int i = 0; i < times; ++i) {
    char text[64], ran[256];
    const char* name = names[(i / 4 + self->number) % 3];
    if (i % 4 == 0) {
      snprintf(text, sizeof text, "allreduce=%s", name);
      CHECK(force(text) == 0);
    }
    if ((i + rank) % 5 == 0) usleep(300); /* so that ranks differ in the order of their threads */
    int mine = rank + i, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, self->comm);
    CHECK(sum == size * (size - 1) / 2 + size * i);
    last(ran, sizeof ran);
    snprintf(text, sizeof text, "allreduce.%s: forced", name);
    CHECK(strcmp(ran, text) == 0);
  }
  return NULL;
}

int main(int argc, char** argv) {
  check_init_threads(&argc, &argv);
  *(void**)&force = dlsym(RTLD_DEFAULT, "roundelay_force");
  *(void**)&last = dlsym(RTLD_DEFAULT, "roundelay_last");
  CHECK(force(NULL) == -1);
  struct worker workers[threads];
  for (int i = 0; i < threads; ++i) {
    workers[i].number = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
  }
  check_in_threads(work, workers, threads, sizeof workers[0]);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&workers[i].comm);
  return check_end();
}
