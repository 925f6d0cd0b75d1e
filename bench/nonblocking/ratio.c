// SPDX-License-Identifier: Apache-2.0
// Non-blocking and persistent collectives: what a start and MPI_Wait take through Roundelay, over
// the MPI library's own, in turn in one job; what the blocking call of Roundelay takes; and how
// long a start, a computation as long as the native communication, and MPI_Wait take. Before the
// first blocking collective on a communicator calls that do not block are native, so that they are
// native on one communicator and ours on the other. Persistent ones are native by their PMPI names.
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
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#define PMPI_Allreduce_init PMPIX_Allreduce_init
#define PMPI_Neighbor_alltoall_init PMPIX_Neighbor_alltoall_init
#endif
#endif

enum { longest = 4 << 20, most_repetitions = 100, lengths = 7, tests = 10 };
enum kind { allreduce, allgather, alltoall, bcast, reduce, barrier, persistent, stencil, kinds };
static const char* const names[kinds] = {
    "iallreduce", "iallgather", "ialltoall",      "ibcast",
    "ireduce",    "ibarrier",   "allreduce_init", "neighbor_alltoall_init"};

static int rank, ranks;
static char *sent, *received;

// A communicator, and a torus of two dimensions of the same ranks.
struct side {
  int native;
  MPI_Comm comm, torus;
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

// Starts a call, or makes one that is started later.
static void make(enum kind kind, int bytes, const struct side* on, MPI_Request* request) {
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
    case persistent:
      (on->native ? PMPI_Allreduce_init : MPI_Allreduce_init)(
          sent, received, count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, request);
      break;
    default:
      (on->native ? PMPI_Neighbor_alltoall_init : MPI_Neighbor_alltoall_init)(
          sent, count, MPI_BYTE, received, count, MPI_BYTE, on->torus, MPI_INFO_NULL, request);
  }
}

static void blocking(enum kind kind, int bytes, const struct side* on) {
  const int count = count_of(kind, bytes);
  const MPI_Comm comm = on->comm;
  switch (kind) {
    case persistent:
    case allreduce: MPI_Allreduce(sent, received, count, MPI_INT, MPI_SUM, comm); break;
    case allgather: MPI_Allgather(sent, count, MPI_BYTE, received, count, MPI_BYTE, comm); break;
    case alltoall: MPI_Alltoall(sent, count, MPI_BYTE, received, count, MPI_BYTE, comm); break;
    case bcast: MPI_Bcast(sent, count, MPI_BYTE, 0, comm); break;
    case reduce: MPI_Reduce(sent, received, count, MPI_INT, MPI_SUM, 0, comm); break;
    case barrier: MPI_Barrier(comm); break;
    default: MPI_Neighbor_alltoall(sent, count, MPI_BYTE, received, count, MPI_BYTE, on->torus);
  }
}

enum form { waits, starts_and_waits, computes, computes_and_tests };

// Seconds of a call on the slowest rank. The ranks begin together with a barrier of Roundelay:
// where they outnumber the cores, MPICH's leaves them milliseconds apart.
static double seconds(enum kind kind, int bytes, enum form form, long steps, int calls,
                      const struct side* on) {
  MPI_Request request;
  const int stored = kind >= persistent && form != waits;
  if (stored) make(kind, bytes, on, &request);
  MPI_Barrier(ours.comm);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    if (form == waits) {
      blocking(kind, bytes, on);
      continue;
    }
    if (stored) {
      MPI_Start(&request);
    } else {
      make(kind, bytes, on, &request);
    }
    for (int test = 0; form == computes_and_tests && test < tests; ++test) {
      int over;
      compute(steps / tests);
      MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    }
    if (form == computes) compute(steps);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  double taken = (MPI_Wtime() - start) / calls;
  if (stored) MPI_Request_free(&request);
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, ours.comm);
  return taken;
}

static struct side made(int native) {
  struct side side = {.native = native};
  int dims[2] = {0, 0};
  const int periods[2] = {1, 1};
  MPI_Comm_dup(MPI_COMM_WORLD, &side.comm);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &side.torus);
  if (!native) {
    MPI_Barrier(side.comm);
    MPI_Barrier(side.torus);
  }
  return side;
}

static void compare_all(int repetitions, int most) {
  enum { shapes = 7 };
  native = made(1);
  ours = made(0);
  const struct {
    enum form form;
    const struct side* on;
  } shape[shapes] = {
      {starts_and_waits, &native}, {starts_and_waits, &ours}, {waits, &ours},
      {computes, &native},         {computes, &ours},         {computes_and_tests, &native},
      {computes_and_tests, &ours}};
  const double speed = additions_in_a_second();
  static const int bytes[lengths] = {8, 512, 8192, 65536, 262144, 1 << 20, longest};
  if (rank == 0) {
    puts(
        "                             start and wait                blocking   + computation  and "
        "tests");
    puts(
        "collective                bytes  native us  ours us  ratio  ratio    native us ratio  "
        "native us ratio");
  }
  for (enum kind kind = 0; kind < kinds; ++kind) {
    for (int i = 0; i < (kind == barrier ? 1 : lengths) && bytes[i] <= most; ++i) {
      if (kind == stencil && bytes[i] < 512) continue;
      double taken[shapes][most_repetitions];
      double once = seconds(kind, bytes[i], starts_and_waits, 0, 5, &native);
      once = seconds(kind, bytes[i], starts_and_waits, 0, 5, &native);
      const int calls = once > 0.004 ? 1 : once < 2e-5 ? 200 : (int)(0.004 / once);
      // What of a second is computed is found with the first repetition of native calls.
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        for (int j = 0; j < shapes; ++j) {
          const double length = taken[0][0];
          taken[j][repetition] = seconds(kind, bytes[i], shape[j].form,
                                         j > 2 ? (long)(length * speed) : 0, calls, shape[j].on);
        }
      }
      double median[shapes];
      for (int j = 0; j < shapes; ++j) median[j] = median_of(taken[j], repetitions);
      if (rank == 0) {
        printf("%-22s %8d %10.2f %8.2f %6.2f %6.2f %11.2f %6.2f %10.2f %5.2f\n", names[kind],
               bytes[i], 1e6 * median[0], 1e6 * median[1], median[1] / median[0],
               median[1] / median[2], 1e6 * median[3], median[4] / median[3], 1e6 * median[5],
               median[6] / median[5]);
        fflush(stdout);
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
