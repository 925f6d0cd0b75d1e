// SPDX-License-Identifier: Apache-2.0
// Single collective calls of the ranks of one node, native and through Roundelay, in turn in one
// job: as in a program that computes between its calls. All ranks begin at the same time, with new
// data to send, and every second pair of calls has another root.
//
//   mpicc -O2 bench/node/single_calls.c -o single_calls
//   ROUNDELAY_LEARN=off roundelay run --transport memory -- mpiexec -n 2 ./single_calls
//
// single_calls [BYTES..]: the lengths of the whole message, multiples of 8. Needs a core for each
// rank. Prints medians of the time of the slowest rank.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../median.h"

enum { longest = 8 << 20, most_pairs = 600, warm_up = 20, longest_time_bytes = 64 << 20 };
enum kind {
  bcast,
  reduce,
  allreduce,
  allgather,
  alltoall,
  reduce_scatter,
  scan,
  gather,
  scatter,
  exscan,
  allgatherv,
  alltoallv,
  gatherv,
  scatterv,
  kinds
};
static const char* const names[kinds] = {
    "bcast",   "reduce",  "allreduce", "allgather", "alltoall",   "reduce_scatter_block",
    "scan",    "gather",  "scatter",   "exscan",    "allgatherv", "alltoallv",
    "gatherv", "scatterv"};
enum side { native, ours, sides };

static int rank, ranks;
static double *sent, *received;
static int *counts, *places;  // of the blocks of the ranks
static int* sides_counts;     // of an alltoallv, sent and received
static int* sides_places;

// Blocks of about this length, every second one longer by one.
static void cut(int block) {
  int place = 0;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = block + i % 2;
    places[i] = place;
    place += counts[i];
    sides_counts[i] = block + (rank + i) % 2;
    sides_places[i] = i * (block + 1);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int block_of(int count) { return count / ranks > 0 ? count / ranks : 1; }

static void call(enum kind kind, int count, int root, enum side side) {
  const int block = block_of(count);
#define CALL(function, ...) (side == native ? P##function : function)(__VA_ARGS__, MPI_COMM_WORLD)
  switch (kind) {
    case bcast: CALL(MPI_Bcast, sent, count, MPI_DOUBLE, root); break;
    case reduce: CALL(MPI_Reduce, sent, received, count, MPI_DOUBLE, MPI_SUM, root); break;
    case allreduce: CALL(MPI_Allreduce, sent, received, count, MPI_DOUBLE, MPI_SUM); break;
    case allgather:
      CALL(MPI_Allgather, sent, block, MPI_DOUBLE, received, block, MPI_DOUBLE);
      break;
    case alltoall: CALL(MPI_Alltoall, sent, block, MPI_DOUBLE, received, block, MPI_DOUBLE); break;
    case reduce_scatter:
      CALL(MPI_Reduce_scatter_block, sent, received, block, MPI_DOUBLE, MPI_SUM);
      break;
    case scan: CALL(MPI_Scan, sent, received, count, MPI_DOUBLE, MPI_SUM); break;
    case gather:
      CALL(MPI_Gather, sent, block, MPI_DOUBLE, received, block, MPI_DOUBLE, root);
      break;
    case scatter:
      CALL(MPI_Scatter, sent, block, MPI_DOUBLE, received, block, MPI_DOUBLE, root);
      break;
    case exscan: CALL(MPI_Exscan, sent, received, count, MPI_DOUBLE, MPI_SUM); break;
    case allgatherv:
      CALL(MPI_Allgatherv, sent, counts[rank], MPI_DOUBLE, received, counts, places, MPI_DOUBLE);
      break;
    case alltoallv:
      CALL(MPI_Alltoallv, sent, sides_counts, sides_places, MPI_DOUBLE, received, sides_counts,
           sides_places, MPI_DOUBLE);
      break;
    case gatherv:
      CALL(MPI_Gatherv, sent, counts[rank], MPI_DOUBLE, received, counts, places, MPI_DOUBLE, root);
      break;
    case scatterv:
      CALL(MPI_Scatterv, sent, counts, places, MPI_DOUBLE, received, counts[rank], MPI_DOUBLE,
           root);
      break;
    case kinds: break;
  }
#undef CALL
}

// Of the slowest rank, in seconds.
static double time_of(enum kind kind, int count, int root, enum side side) {
  const double until_all_know = 15e-6;
  static double number = 0;
  ++number;
  for (int i = 0; i < count; ++i) sent[i] = number + i;
  double start = now() + until_all_know;
  PMPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  while (now() < start) {
  }
  call(kind, count, root, side);
  const double own = now() - start;
  double slowest;
  PMPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static void measure(enum kind kind, int bytes) {
  static double times[sides][most_pairs];
  const int many = longest_time_bytes / (bytes + 1);
  const int pairs = many < most_pairs ? many : most_pairs;
  cut(block_of(bytes / (int)sizeof(double)));
  for (int pair = -warm_up; pair < pairs; ++pair) {
    const int root = (pair + warm_up) / 2 % ranks;
    for (int i = 0; i < sides; ++i) {
      const enum side side = (pair + i) % 2 == 0 ? native : ours;
      const double its = time_of(kind, bytes / (int)sizeof(double), root, side);
      if (pair >= 0) times[side][pair] = its;
    }
  }
  const double of_native = median_of(times[native], pairs);
  if (rank != 0) return;
  printf("%-20s %8d B   native %9.2f us   ours / native %.2f\n", names[kind], bytes,
         1e6 * of_native, median_of(times[ours], pairs) / of_native);
  fflush(stdout);
}

int main(int count, char** arguments) {
  static char* usual[] = {"", "8", "64", "512", "4096", "65536", "1048576"};
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t room = longest / sizeof(double) + 2 * (size_t)ranks;
  sent = calloc(room, sizeof(double));
  received = calloc(room, sizeof(double));
  counts = calloc((size_t)ranks, sizeof(int));
  places = calloc((size_t)ranks, sizeof(int));
  sides_counts = calloc((size_t)ranks, sizeof(int));
  sides_places = calloc((size_t)ranks, sizeof(int));
  char** const lengths = count > 1 ? arguments : usual;
  const int of_them = count > 1 ? count : (int)(sizeof usual / sizeof *usual);
  for (enum kind kind = 0; kind < kinds; ++kind) {
    for (int i = 1; i < of_them; ++i) {
      const long bytes = strtol(lengths[i], NULL, 10);
      if (bytes < (long)sizeof(double) || bytes > longest) {
        if (rank == 0) fprintf(stderr, "single_calls: %s: 8 to 8388608 bytes\n", lengths[i]);
        MPI_Abort(MPI_COMM_WORLD, 2);
      }
      measure(kind, (int)bytes);
    }
  }
  free(sent);
  free(received);
  free(counts);
  free(places);
  free(sides_counts);
  free(sides_places);
  MPI_Finalize();
}
