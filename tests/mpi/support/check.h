/* SPDX-License-Identifier: Apache-2.0 */
/* For the small programs: what they check, and how they end. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;

#define CHECK(condition)                                                                \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      int check_rank;                                                                   \
      MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);                                       \
      fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, check_rank, \
              #condition);                                                              \
      ++check_failures;                                                                 \
    }                                                                                   \
  } while (0)

static int check_rank(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static int check_size(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

/* All five collectives over a communicator, with `count` ints, and what they have to give. */
static inline void check_collectives(MPI_Comm comm, int count) {
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  int* mine = malloc(sizeof(int) * (size_t)(count + 1));
  int* sum = malloc(sizeof(int) * (size_t)(count + 1));
  int* all = malloc(sizeof(int) * (size_t)(count * size + 1));
  for (int i = 0; i < count; ++i) mine[i] = rank == size - 1 ? 7 * i + 1 : -1;
  MPI_Bcast(mine, count, MPI_INT, size - 1, comm);
  for (int i = 0; i < count; ++i) CHECK(mine[i] == 7 * i + 1);

  for (int i = 0; i < count; ++i) mine[i] = rank * 1000 + i;
  MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, comm);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < count; ++i) CHECK(all[r * count + i] == r * 1000 + i);
  }
  const int ranks = size * (size - 1) / 2;
  MPI_Allreduce(mine, sum, count, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < count; ++i) CHECK(sum[i] == ranks * 1000 + size * i);
  memset(sum, 0, sizeof(int) * (size_t)(count + 1));
  MPI_Reduce(mine, sum, count, MPI_INT, MPI_SUM, size / 2, comm);
  for (int i = 0; i < count; ++i) CHECK(sum[i] == (rank == size / 2 ? ranks * 1000 + size * i : 0));
  MPI_Barrier(comm);
  free(mine);
  free(sum);
  free(all);
}

/* Ends the program: MPI_Finalize, and this rank's failures as its exit code. */
static int check_end(void) {
  const int failures = check_failures;
  if (check_rank(MPI_COMM_WORLD) == 0) puts("finished");
  MPI_Finalize();
  return failures > 0;
}
