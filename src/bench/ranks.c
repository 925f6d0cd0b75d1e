/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank, size;
static MPI_Comm messages;

void begin_ranks(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &messages);
}

void end_ranks(void) {
  MPI_Comm_free(&messages);
  MPI_Finalize();
}

void fail(const char* what, const char* about) {
  fprintf(stderr, "collectives: %s%s\n", what, about);
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

void* allocate(size_t bytes) {
  void* memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL) fail("no memory", "");
  return memory;
}

/* Dissemination: in each round twice as many have heard of a rank. */
void start_together(void) {
  for (int distance = 1; distance < size; distance *= 2) {
    MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + distance) % size, 0, NULL, 0, MPI_BYTE,
                 (rank - distance + size) % size, 0, messages, MPI_STATUS_IGNORE);
  }
}

/* Binomial: in each round twice as many know it. */
void tell(int* value) {
  int distance = 1;
  while (distance < size && rank % (2 * distance) == 0) distance *= 2;
  if (rank > 0) {
    MPI_Recv(value, 1, MPI_INT, rank - distance, 0, messages, MPI_STATUS_IGNORE);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    if (rank + distance < size) MPI_Send(value, 1, MPI_INT, rank + distance, 0, messages);
  }
}

void collect(const void* own, void* all, int bytes) {
  if (rank > 0) {
    MPI_Send(own, bytes, MPI_BYTE, 0, 0, messages);
    return;
  }
  memcpy(all, own, (size_t)bytes);
  for (int source = 1; source < size; ++source) {
    MPI_Recv((char*)all + (size_t)source * (size_t)bytes, bytes, MPI_BYTE, source, 0, messages,
             MPI_STATUS_IGNORE);
  }
}
