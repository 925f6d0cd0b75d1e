// SPDX-License-Identifier: Apache-2.0
// Non-blocking and persistent collectives: what a start and MPI_Wait take through Roundelay, over
// the MPI library's own, in turn in one job; what the blocking call of Roundelay takes; and how
// long a start, a computation as long as the native communication, and MPI_Wait take. What is sent
// is written before each call, which is not timed. Before the first blocking collective on a
// communicator calls that do not block are native, so that they are native on one communicator and
// ours on the other. Persistent ones are native by their PMPI names.
//
//   mpicc -O2 bench/nonblocking/ratio.c -o ratio
//   ROUNDELAY_TRANSPORT=memory roundelay run --nonblocking on -- mpiexec -n 2 ./ratio
//   ROUNDELAY_NONBLOCKING=on roundelay lab --nodes 8 --preload -- ./ratio 9 65536
//
// ratio [REPETITIONS [BYTES]]: so many batches of each, 15 by default, and messages up to so many
// bytes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../computation.h"
#include "../median.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#if OMPI_MAJOR_VERSION < 5
#define PERSISTENT(name) MPIX_##name##_init
#define NATIVE_PERSISTENT(name) PMPIX_##name##_init
#endif
#endif
#ifndef PERSISTENT
#define PERSISTENT(name) MPI_##name##_init
#define NATIVE_PERSISTENT(name) PMPI_##name##_init
#endif

enum { longest = 4 << 20, most_repetitions = 100, lengths = 7, tests = 10 };
enum kind { allreduce, allgather, alltoall, bcast, reduce, barrier, stencil, kinds };
// Those that do not wait, and those that are stored and started.
static const char* const names[2][kinds] = {
    {"iallreduce", "iallgather", "ialltoall", "ibcast", "ireduce", "ibarrier",
     "ineighbor_alltoall"},
    {"allreduce_init", "allgather_init", "alltoall_init", "bcast_init", "reduce_init",
     "barrier_init", "neighbor_alltoall_init"}};

static int rank, ranks;
static char *sent, *received;

// A communicator, and a grid of two dimensions of the same ranks. Without edges around, so that no
// two ranks have several: those the MPI libraries pair in different ways.
struct side {
  int native;
  MPI_Comm comm, grid;
};
static struct side native, ours;

static int count_of(enum kind kind, int bytes) {
  switch (kind) {
    case allgather:
    case alltoall: return bytes / ranks;
    case bcast: return bytes;
    case stencil: return bytes / 4;
    default: return bytes / (int)sizeof(int);
  }
}

static void start(enum kind kind, int bytes, const struct side* on, MPI_Request* request) {
  const int count = count_of(kind, bytes);
  const MPI_Comm comm = on->comm;
  switch (kind) {
    case allreduce: MPI_Iallreduce(sent, received, count, MPI_INT, MPI_SUM, comm, request); break;
    case allgather:
      MPI_Iallgather(sent, count, MPI_BYTE, received, count, MPI_BYTE, comm, request);
      break;
    case alltoall:
      MPI_Ialltoall(sent, count, MPI_BYTE, received, count, MPI_BYTE, comm, request);
      break;
    case bcast: MPI_Ibcast(sent, count, MPI_BYTE, 0, comm, request); break;
    case reduce: MPI_Ireduce(sent, received, count, MPI_INT, MPI_SUM, 0, comm, request); break;
    case barrier: MPI_Ibarrier(comm, request); break;
    default:
      MPI_Ineighbor_alltoall(sent, count, MPI_BYTE, received, count, MPI_BYTE, on->grid, request);
  }
}

// Makes a call that is started later.
static void store(enum kind kind, int bytes, const struct side* on, MPI_Request* request) {
#define STORE(name) (on->native ? NATIVE_PERSISTENT(name) : PERSISTENT(name))
  const int count = count_of(kind, bytes);
  const MPI_Comm comm = on->comm;
  const MPI_Info none = MPI_INFO_NULL;
  switch (kind) {
    case allreduce:
      STORE(Allreduce)(sent, received, count, MPI_INT, MPI_SUM, comm, none, request);
      break;
    case allgather:
      STORE(Allgather)(sent, count, MPI_BYTE, received, count, MPI_BYTE, comm, none, request);
      break;
    case alltoall:
      STORE(Alltoall)(sent, count, MPI_BYTE, received, count, MPI_BYTE, comm, none, request);
      break;
    case bcast: STORE(Bcast)(sent, count, MPI_BYTE, 0, comm, none, request); break;
    case reduce:
      STORE(Reduce)(sent, received, count, MPI_INT, MPI_SUM, 0, comm, none, request);
      break;
    case barrier: STORE(Barrier)(comm, none, request); break;
    default:
      STORE(Neighbor_alltoall)
      (sent, count, MPI_BYTE, received, count, MPI_BYTE, on->grid, none, request);
  }
#undef STORE
}

static void blocking(enum kind kind, int bytes, const struct side* on) {
  const int count = count_of(kind, bytes);
  const MPI_Comm comm = on->comm;
  switch (kind) {
    case allreduce: MPI_Allreduce(sent, received, count, MPI_INT, MPI_SUM, comm); break;
    case allgather: MPI_Allgather(sent, count, MPI_BYTE, received, count, MPI_BYTE, comm); break;
    case alltoall: MPI_Alltoall(sent, count, MPI_BYTE, received, count, MPI_BYTE, comm); break;
    case bcast: MPI_Bcast(sent, count, MPI_BYTE, 0, comm); break;
    case reduce: MPI_Reduce(sent, received, count, MPI_INT, MPI_SUM, 0, comm); break;
    case barrier: MPI_Barrier(comm); break;
    default: MPI_Neighbor_alltoall(sent, count, MPI_BYTE, received, count, MPI_BYTE, on->grid);
  }
}

enum form { waits, starts_and_waits, computes, computes_and_tests };

// Seconds of a call on the slowest rank. The ranks begin together with a barrier of Roundelay:
// where they outnumber the cores, MPICH's leaves them milliseconds apart.
static double seconds(enum kind kind, int persistent, int bytes, enum form form, long steps,
                      int calls, const struct side* on) {
  MPI_Request request;
  const int stored = persistent && form != waits;
  if (stored) store(kind, bytes, on, &request);
  MPI_Barrier(ours.comm);
  double taken = 0;
  for (int i = 0; i < calls; ++i) {
    memset(sent, i + 1, bytes);  // or else what was read before is still in a cache
    const double begin = MPI_Wtime();
    if (form == waits) {
      blocking(kind, bytes, on);
    } else if (stored) {
      MPI_Start(&request);
    } else {
      start(kind, bytes, on, &request);
    }
    for (int test = 0; form == computes_and_tests && test < tests; ++test) {
      int over;
      compute(steps / tests);
      MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    }
    if (form == computes) compute(steps);
    if (form != waits) MPI_Wait(&request, MPI_STATUS_IGNORE);
    taken += (MPI_Wtime() - begin) / calls;
  }
  if (stored) MPI_Request_free(&request);
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, ours.comm);
  return taken;
}

static struct side made(int native) {
  struct side side = {.native = native};
  int dims[2] = {0, 0};
  const int periods[2] = {0, 0};
  MPI_Comm_dup(MPI_COMM_WORLD, &side.comm);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &side.grid);
  if (!native) {
    MPI_Barrier(side.comm);
    MPI_Barrier(side.grid);
  }
  return side;
}

static void compare(enum kind kind, int persistent, int bytes, int repetitions, double speed) {
  enum { shapes = 7 };
  const struct {
    enum form form;
    const struct side* on;
  } shape[shapes] = {
      {starts_and_waits, &native}, {starts_and_waits, &ours}, {waits, &ours},
      {computes, &native},         {computes, &ours},         {computes_and_tests, &native},
      {computes_and_tests, &ours}};
  double taken[shapes][most_repetitions];
  double once = seconds(kind, persistent, bytes, starts_and_waits, 0, 5, &native);
  once = seconds(kind, persistent, bytes, starts_and_waits, 0, 5, &native);
  const int calls = once > 0.004 ? 1 : once < 2e-5 ? 200 : (int)(0.004 / once);
  // What of a second is computed is found with the first repetition of native calls.
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int j = 0; j < shapes; ++j) {
      const long steps = j > 2 ? (long)(taken[0][0] * speed) : 0;
      taken[j][repetition] =
          seconds(kind, persistent, bytes, shape[j].form, steps, calls, shape[j].on);
    }
  }
  double median[shapes];
  for (int j = 0; j < shapes; ++j) median[j] = median_of(taken[j], repetitions);
  if (rank != 0) return;
  printf("%-22s %8d %10.2f %8.2f %6.2f %6.2f %11.2f %6.2f %10.2f %5.2f\n", names[persistent][kind],
         bytes, 1e6 * median[0], 1e6 * median[1], median[1] / median[0], median[1] / median[2],
         1e6 * median[3], median[4] / median[3], 1e6 * median[5], median[6] / median[5]);
  fflush(stdout);
}

static void compare_all(int repetitions, int most) {
  static const int bytes[lengths] = {8, 512, 8192, 65536, 262144, 1 << 20, longest};
  native = made(1);
  ours = made(0);
  const double speed = additions_in_a_second();
  if (rank == 0) {
    puts(
        "                             start and wait                blocking   + computation  and "
        "tests");
    puts(
        "collective                bytes  native us  ours us  ratio  ratio    native us ratio  "
        "native us ratio");
  }
  for (int persistent = 0; persistent < 2; ++persistent) {
    for (enum kind kind = 0; kind < kinds; ++kind) {
      for (int i = 0; i < (kind == barrier ? 1 : lengths) && bytes[i] <= most; ++i) {
        if (kind == stencil && bytes[i] < 512) continue;
        compare(kind, persistent, bytes[i], repetitions, speed);
      }
    }
  }
}

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? atoi(argv[1]) : 15;
  const int most = argc > 2 ? atoi(argv[2]) : longest;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (repetitions < 1 || repetitions > most_repetitions) {
    fprintf(stderr, "ratio: from 1 to %d repetitions\n", most_repetitions);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  sent = malloc(longest);
  received = malloc(longest);
  memset(sent, 1, longest); /* pages that nobody has written are all one page, in the cache */
  memset(received, 2, longest);
  compare_all(repetitions, most);
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
