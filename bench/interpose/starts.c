/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of a start of a persistent collective, of its end, and of the call that waits:
 *
 *   mpiexec -n 2 valgrind --tool=callgrind --toggle-collect=measured ./starts WHAT TIMES OF
 *
 * WHAT is blocking, start or wait; OF is bcast or allreduce, of one double. The rank whose profile
 * is the one to look at waits for nobody: rank 0, the root of the broadcast; or rank 1, for which
 * what it needs of the allreduce has arrived when it comes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

static double data = 1, sum;
static MPI_Request request;

static void bcast(void) { MPI_Bcast(&data, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void allreduce(void) { MPI_Allreduce(&data, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void start(void) { MPI_Start(&request); }
static void wait(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

__attribute__((noinline)) void measured(void (*call)(void)) {
  call();
  __asm__ volatile("");
}
__attribute__((noinline)) static void apart(void (*call)(void)) { call(); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* what = argc > 1 ? argv[1] : "blocking";
  const int times = argc > 2 ? atoi(argv[2]) : 100;
  const int reduces = argc > 3 && !strcmp(argv[3], "allreduce");
  const int first = 100;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void (*blocking)(void) = reduces ? allreduce : bcast;
  blocking();
  if (reduces) {
    MPI_Allreduce_init(&data, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
  } else {
    MPI_Bcast_init(&data, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  }
  for (int i = -first; i < times; ++i) {
    if (rank == reduces && i >= 0) usleep(10000); /* the other one keeps up */
    void (*on)(void (*)(void)) = i < 0 ? apart : measured;
    if (!strcmp(what, "blocking")) {
      on(blocking);
    } else if (!strcmp(what, "start")) {
      on(start);
      wait();
    } else {
      start();
      on(wait);
    }
  }
  MPI_Request_free(&request);
  MPI_Finalize();
  return 0;
}
