/* SPDX-License-Identifier: Apache-2.0 */
/* driving BYTES: what the MPI library has to move on while ranks wait in a barrier, through it and
 * through Roundelay in turn: a long message between two of them. Prints how many times as long it
 * takes through Roundelay, by the medians. */
#include "../../../bench/median.h"
#include "support/check.h"

enum { turns = 15 };

static double seconds(int native, char* data, int bytes) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int rank = check_rank(comm), last = check_size(comm) - 1;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Barrier(comm);
  const double begin = MPI_Wtime();
  if (rank == 0) MPI_Isend(data, bytes, MPI_CHAR, last, 0, comm, &request);
  if (rank == last) MPI_Recv(data, bytes, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
  if (native) PMPI_Barrier(comm);
  if (!native) MPI_Barrier(comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return MPI_Wtime() - begin;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bytes = argc > 1 ? atoi(argv[1]) : 4000000;
  char* data = calloc((size_t)bytes, 1);
  double of_native[turns], ours[turns];
  for (int i = 0; i < 60; ++i) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < turns; ++i) {
    of_native[i] = seconds(1, data, bytes);
    ours[i] = seconds(0, data, bytes);
  }
  free(data);
  const double times = median_of(ours, turns) / median_of(of_native, turns);
  if (check_rank(MPI_COMM_WORLD) == 0) printf("%.1f times\n", times);
  return check_end();
}
