// SPDX-License-Identifier: Apache-2.0
// Non-blocking collectives and MPI_Wait: what they take through Roundelay, over the MPI library's
// own, in turn in one job. Before the first blocking collective on a communicator they are native,
// so that they are native on one communicator and ours on the other.
//
//   mpicc -O2 bench/nonblocking/ratio.c -o ratio
//   ROUNDELAY_TRANSPORT=memory roundelay run --nonblocking on -- mpiexec -n 2 ./ratio
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { longest = 4 << 20, repetitions = 15, names = 6, lengths = 7 };

static int rank, ranks;
static char *sent, *received;

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void call(int which, int bytes, MPI_Comm comm) {
  MPI_Request request;
  const int block = bytes / ranks;
  const int count = bytes / (int)sizeof(int);
  switch (which) {
    case 0: MPI_Iallreduce(sent, received, count, MPI_INT, MPI_SUM, comm, &request); break;
    case 1: MPI_Iallgather(sent, block, MPI_BYTE, received, block, MPI_BYTE, comm, &request); break;
    case 2: MPI_Ialltoall(sent, block, MPI_BYTE, received, block, MPI_BYTE, comm, &request); break;
    case 3: MPI_Ibcast(sent, bytes, MPI_BYTE, 0, comm, &request); break;
    case 4: MPI_Ireduce(sent, received, count, MPI_INT, MPI_SUM, 0, comm, &request); break;
    default: MPI_Ibarrier(comm, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Seconds of a call on the slowest rank.
static double seconds(int which, int bytes, int calls, MPI_Comm comm) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call(which, bytes, comm);
  double taken = (MPI_Wtime() - start) / calls;
  PMPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return taken;
}

int main(int argc, char** argv) {
  static const char* const name[names] = {"iallreduce", "iallgather", "ialltoall",
                                          "ibcast",     "ireduce",    "ibarrier"};
  static const int bytes[lengths] = {8, 512, 8192, 65536, 262144, 1 << 20, longest};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sent = calloc(1, longest);
  received = calloc(1, longest);
  MPI_Comm native;
  MPI_Comm ours;
  MPI_Comm_dup(MPI_COMM_WORLD, &native);
  MPI_Comm_dup(MPI_COMM_WORLD, &ours);
  MPI_Barrier(ours);
  if (rank == 0) puts("collective     bytes   native us     ours us   ratio of medians");
  for (int which = 0; which < names; ++which) {
    for (int i = 0; i < (which == names - 1 ? 1 : lengths); ++i) {
      const int calls = bytes[i] <= 8192 ? 200 : bytes[i] <= 262144 ? 40 : 8;
      double taken[2][repetitions];
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        taken[0][repetition] = 1e6 * seconds(which, bytes[i], calls, native);
        taken[1][repetition] = 1e6 * seconds(which, bytes[i], calls, ours);
      }
      for (int side = 0; side < 2; ++side) qsort(taken[side], repetitions, sizeof(double), compare);
      const double* median[2] = {&taken[0][repetitions / 2], &taken[1][repetitions / 2]};
      if (rank == 0) {
        printf("%-10s %9d %11.2f %11.2f %6.2f\n", name[which], bytes[i], *median[0], *median[1],
               *median[1] / *median[0]);
      }
    }
  }
  MPI_Comm_free(&native);
  MPI_Comm_free(&ours);
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
