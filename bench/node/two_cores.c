// SPDX-License-Identifier: Apache-2.0
// Collectives of two ranks on one node, native and through Roundelay, in turn in one job; apart for
// the times when their two cores are threads of one core, and when they are not. On a virtual
// machine the host moves virtual cores every few seconds, and what goes from core to core takes
// several times as long when they are not threads of one core. So each pair of measurements has the
// time of a cache line there and back before and after it, and counts only if both agree.
//
//   mpicc -O2 bench/node/two_cores.c -o two_cores
//   ROUNDELAY_LEARN=off roundelay run --transport memory -- mpiexec --bind-to none -n 2 ./two_cores
//
// two_cores [SECONDS [BYTES..]]: so long for each collective and length, 1 second by default. From
// 4 KiB on each call finds new data to send, as in a program, and is timed by itself; shorter ones
// are timed in rows. Roundelay measures at its start which way of a long message is faster; the
// first line says where the ranks were then. What the host moved later has the wrong way.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../median.h"

enum { longest = 8 << 20, most_pairs = 4000, pings = 1000, least_pairs = 5 };
enum kind {
  barrier,
  bcast,
  reduce,
  allreduce,
  allgather,
  alltoall,
  reduce_scatter,
  scan,
  gather,
  scatter,
  kinds
};
static const char* const names[kinds] = {
    "barrier", "bcast",  "reduce", "allreduce", "allgather", "alltoall", "reduce_scatter_block",
    "scan",    "gather", "scatter"};
enum side { native, ours, sides };

static int rank;
static MPI_Comm comm;
static char *sent, *received;
static _Atomic int* line;  // that both ranks write

static void call(enum kind kind, int bytes, enum side side) {
  const int doubles = bytes / (int)sizeof(double);
  const int half = bytes / 2;
#define CALL(function, ...) (side == native ? P##function : function)(__VA_ARGS__, comm)
  switch (kind) {
    case bcast: CALL(MPI_Bcast, sent, bytes, MPI_BYTE, 0); break;
    case reduce: CALL(MPI_Reduce, sent, received, doubles, MPI_DOUBLE, MPI_SUM, 0); break;
    case allreduce: CALL(MPI_Allreduce, sent, received, doubles, MPI_DOUBLE, MPI_SUM); break;
    case allgather: CALL(MPI_Allgather, sent, half, MPI_BYTE, received, half, MPI_BYTE); break;
    case alltoall: CALL(MPI_Alltoall, sent, half, MPI_BYTE, received, half, MPI_BYTE); break;
    case reduce_scatter:
      CALL(MPI_Reduce_scatter_block, sent, received, doubles / 2, MPI_DOUBLE, MPI_SUM);
      break;
    case scan: CALL(MPI_Scan, sent, received, doubles, MPI_DOUBLE, MPI_SUM); break;
    case gather: CALL(MPI_Gather, sent, half, MPI_BYTE, received, half, MPI_BYTE, 0); break;
    case scatter: CALL(MPI_Scatter, sent, half, MPI_BYTE, received, half, MPI_BYTE, 0); break;
    default: (side == native ? PMPI_Barrier : MPI_Barrier)(comm);
  }
#undef CALL
}

// Seconds of a call on the slower rank.
static double seconds(enum kind kind, int bytes, enum side side, int calls) {
  double taken = 0;
  MPI_Barrier(comm);
  if (bytes >= 4096) {
    for (int i = 0; i < calls; ++i) {
      memset(sent, i, (size_t)bytes);
      const double start = MPI_Wtime();
      call(kind, bytes, side);
      taken += MPI_Wtime() - start;
    }
  } else {
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call(kind, bytes, side);
    taken = MPI_Wtime() - start;
  }
  taken /= calls;
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, comm);
  return taken;
}

// Nanoseconds of a cache line there and back.
static double there_and_back(void) {
  static int turn = 0;
  double start = 0;
  MPI_Barrier(comm);
  for (int i = 0; i < 2 * pings; ++i) {
    if (i == pings) start = MPI_Wtime();  // the first ones wait for the other rank
    turn += 2;
    if (rank == 0) {
      atomic_store(line, turn - 1);
      while (atomic_load(line) != turn) {
      }
    } else {
      while (atomic_load(line) != turn - 1) {
      }
      atomic_store(line, turn);
    }
  }
  double taken = 1e9 * (MPI_Wtime() - start) / pings;
  MPI_Bcast(&taken, 1, MPI_DOUBLE, 0, comm);
  return taken;
}

static int are_apart(double nanoseconds) { return nanoseconds > 150; }

static void measure(enum kind kind, int bytes, double limit) {
  static double taken[2][sides][most_pairs];
  int count[2] = {0, 0};
  seconds(kind, bytes, native, 3);
  const double once = seconds(kind, bytes, native, 3);
  const int calls = once > 0.002 ? 1 : once < 1e-5 ? 200 : (int)(0.002 / once);
  seconds(kind, bytes, ours, calls);
  const double start = MPI_Wtime();
  double before = there_and_back();
  for (int more = 1; more;) {
    const double its = seconds(kind, bytes, native, calls);
    const double own = seconds(kind, bytes, ours, calls);
    const double after = there_and_back();
    const int apart = are_apart(after);
    if (are_apart(before) == apart && count[apart] < most_pairs) {
      taken[apart][native][count[apart]] = its;
      taken[apart][ours][count[apart]++] = own;
    }
    before = after;
    more = MPI_Wtime() - start < limit;
    MPI_Bcast(&more, 1, MPI_INT, 0, comm);
  }
  if (rank != 0) return;
  printf("%-20s %8d", names[kind], bytes);
  for (int apart = 0; apart < 2; ++apart) {
    if (count[apart] < least_pairs) {
      printf("  %4d %10s %6s", count[apart], "-", "-");
      continue;
    }
    const double its = median_of(taken[apart][native], count[apart]);
    const double own = median_of(taken[apart][ours], count[apart]);
    printf("  %4d %10.2f %6.2f", count[apart], 1e6 * its, own / its);
  }
  puts("");
  fflush(stdout);
}

// Memory of rank 0 that both see.
static void* shared_page(MPI_Win* window) {
  void* own = NULL;
  void* first = NULL;
  MPI_Aint size = 0;
  int unit = 0;
  MPI_Win_allocate_shared(rank == 0 ? 4096 : 0, 1, MPI_INFO_NULL, comm, &own, window);
  MPI_Win_shared_query(*window, 0, &size, &unit, &first);
  return first;
}

int main(int argc, char** argv) {
  int ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    if (rank == 0) fprintf(stderr, "two_cores: needs two ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(rank, &own);
  sched_setaffinity(0, sizeof own, &own);
  sent = malloc(longest);
  received = malloc(longest);
  memset(sent, 1, longest);
  memset(received, 2, longest);
  MPI_Win window;
  line = shared_page(&window);
  const double at_start = there_and_back();
  const double limit = argc > 1 ? atof(argv[1]) : 1;
  if (rank == 0) {
    printf("At the start a cache line took %.0f ns there and back: %s.\n", at_start,
           are_apart(at_start) ? "two cores" : "threads of one core");
    puts("                               threads of one core         two cores");
    puts("collective              bytes  pairs native us  ratio  pairs native us  ratio");
  }
  static const int usual[] = {8, 512, 4096, 65536, 1 << 20};
  const int lengths = argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof *usual);
  for (int i = 0; i < lengths; ++i) {
    const int bytes = argc > 2 ? atoi(argv[i + 2]) : usual[i];
    if (bytes < 0 || bytes > longest) {
      if (rank == 0) fprintf(stderr, "two_cores: from 0 to %d bytes\n", longest);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (enum kind kind = i == 0 ? barrier : bcast; kind < kinds; ++kind) {
      measure(kind, bytes, limit);
    }
  }
  free(sent);
  free(received);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
