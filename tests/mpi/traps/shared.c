/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_THREAD_MULTIPLE: threads that make communicators, use them first and free them while others
 * do the same, with a derived type that all of them share and each is the first to use. */
#include "support/threads.h"

enum { threads = 4, times = 6, rounds = 3 };

static MPI_Datatype shared;
static pthread_barrier_t together;

static void exchange(MPI_Comm comm, int number) {
  int in[6], out[6 * 8];
  const int size = check_size(comm), rank = check_rank(comm);
  for (int i = 0; i < 6; ++i) in[i] = 100 * rank + number + i;
  memset(out, 0, sizeof out);
  MPI_Allgather(in, 1, shared, out, 1, shared, comm);
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < 6; k += 2) CHECK(out[6 * i + k] == 100 * i + number + k);
  }
}

static void* work(void* argument) {
  const MPI_Comm mine = *(MPI_Comm*)argument;
  for (int round = 0; round < rounds; ++round) {
    pthread_barrier_wait(&together);
    exchange(mine, round);
    for (int i = 0; i < times; ++i) {
      MPI_Comm comm;
      MPI_Comm_dup(mine, &comm);
      check_collectives(comm, 1 + i * 7 % 50);
      exchange(comm, i);
      MPI_Comm_free(&comm);
    }
    pthread_barrier_wait(&together);
  }
  return NULL;
}

int main(int argc, char** argv) {
  check_init_threads(&argc, &argv);
  MPI_Comm comms[threads];
  MPI_Datatype gaps;
  MPI_Type_vector(3, 1, 2, MPI_INT, &gaps);
  MPI_Type_create_resized(gaps, 0, 6 * (MPI_Aint)sizeof(int), &shared);
  MPI_Type_commit(&shared);
  pthread_barrier_init(&together, NULL, threads);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  check_in_threads(work, comms, threads, sizeof comms[0]);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
  MPI_Type_free(&shared);
  MPI_Type_free(&gaps);
  return check_end();
}
