/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_THREAD_MULTIPLE: every thread runs collectives on communicators of its own. */
#include "support/threads.h"

enum { threads = 4, times = 20 };

static void* work(void* argument) {
  const MPI_Comm comm = *(MPI_Comm*)argument;
  for (int i = 0; i < times; ++i) check_collectives(comm, 1 + i * 7 % 50);
  return NULL;
}

int main(int argc, char** argv) {
  check_init_threads(&argc, &argv);
  MPI_Comm comms[threads];
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  /* The first collective on each communicator is one of the threads': all begin at once. */
  check_in_threads(work, comms, threads, sizeof comms[0]);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
  return check_end();
}
