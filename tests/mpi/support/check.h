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

/* `count` ints that begin with `first`, in steps of `step`: is that so? */
static inline int check_run(const int* data, int count, int first, int step) {
  for (int i = 0; i < count; ++i) {
    if (data[i] != first + i * step) return 0;
  }
  return 1;
}

static inline void check_fill(int* data, int count, int first, int step) {
  for (int i = 0; i < count; ++i) data[i] = first + i * step;
}

/* The collectives that move data. Block r of `in` begins with 1000 rank + 100000 r. */
static inline void check_moving(MPI_Comm comm, int count, int* in, int* out) {
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  const int root = size - 1;
  int counts[64], places[64], bytes[64];
  MPI_Datatype types[64];
  for (int r = 0; r < size; ++r) {
    counts[r] = count;
    places[r] = r * count;
    bytes[r] = (int)sizeof(int) * r * count;
    types[r] = MPI_INT;
    check_fill(in + r * count, count, 1000 * rank + 100000 * r, 1);
  }
  check_fill(out, count, rank == root ? 1 : -1, rank == root ? 7 : 0);
  MPI_Bcast(out, count, MPI_INT, root, comm);
  CHECK(check_run(out, count, 1, 7));
  for (int v = 0; v < 2; ++v) {
    memset(out, 0, sizeof(int) * (size_t)(count * size));
    if (v) MPI_Allgatherv(in, count, MPI_INT, out, counts, places, MPI_INT, comm);
    if (!v) MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
    for (int r = 0; r < size; ++r) CHECK(check_run(out + r * count, count, 1000 * r, 1));
    memset(out, 0, sizeof(int) * (size_t)(count * size));
    if (v) MPI_Gatherv(in, count, MPI_INT, out, counts, places, MPI_INT, root, comm);
    if (!v) MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, comm);
    for (int r = 0; r < size && rank == root; ++r) {
      CHECK(check_run(out + r * count, count, 1000 * r, 1));
    }
    if (v) MPI_Scatterv(in, counts, places, MPI_INT, out, count, MPI_INT, root, comm);
    if (!v) MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, comm);
    CHECK(check_run(out, count, 1000 * root + 100000 * rank, 1));
  }
  for (int kind = 0; kind < 3; ++kind) {
    memset(out, 0, sizeof(int) * (size_t)(count * size));
    if (kind == 0) MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
    if (kind == 1) MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
    if (kind == 2) MPI_Alltoallw(in, counts, bytes, types, out, counts, bytes, types, comm);
    for (int r = 0; r < size; ++r) {
      CHECK(check_run(out + r * count, count, 1000 * r + 100000 * rank, 1));
    }
  }
  MPI_Barrier(comm);
}

/* The collectives that combine data. Unit i of a rank's vector is 1000 rank + i. */
static inline void check_combining(MPI_Comm comm, int count, int* in, int* out) {
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  const int root = size / 2;
  const int sum = 1000 * (size * (size - 1) / 2);
  const int below = 1000 * (rank * (rank - 1) / 2);
  int counts[64];
  for (int r = 0; r < size; ++r) counts[r] = count;
  check_fill(in, count * size, 1000 * rank, 1);
  MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
  CHECK(check_run(out, count, sum, size));
  memset(out, 0, sizeof(int) * (size_t)count);
  MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
  CHECK(check_run(out, count, rank == root ? sum : 0, rank == root ? size : 0));
  MPI_Scan(in, out, count, MPI_INT, MPI_SUM, comm);
  CHECK(check_run(out, count, below + 1000 * rank, rank + 1));
  MPI_Exscan(in, out, count, MPI_INT, MPI_SUM, comm);
  CHECK(rank == 0 || check_run(out, count, below, rank));
  MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, comm);
  CHECK(check_run(out, count, sum + size * count * rank, size));
  MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
  CHECK(check_run(out, count, sum + size * count * rank, size));
}

/* All collectives, each once, over a communicator, and what they have to give. */
static inline void check_collectives(MPI_Comm comm, int count) {
  const size_t units = (size_t)(count * check_size(comm) + 1);
  int* in = malloc(sizeof(int) * units);
  int* out = malloc(sizeof(int) * units);
  check_moving(comm, count, in, out);
  check_combining(comm, count, in, out);
  free(in);
  free(out);
}

/* Ends the program: MPI_Finalize, and this rank's failures as its exit code. */
static inline int check_end(void) {
  const int failures = check_failures;
  if (check_rank(MPI_COMM_WORLD) == 0) puts("finished");
  MPI_Finalize();
  return failures > 0;
}
