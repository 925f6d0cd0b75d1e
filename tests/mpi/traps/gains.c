/* SPDX-License-Identifier: Apache-2.0 */
/* A broadcast and an allgather that do not wait, of so many bytes on each rank:
 *   gains BYTES */
#include "support/check.h"

static void bcast(char* data, int bytes, int rank) {
  MPI_Request request;
  memset(data, rank == 0, (size_t)bytes);
  MPI_Ibcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < bytes; ++i) CHECK(data[i] == 1);
}

static void allgather(char* data, int bytes, int rank) {
  const int size = check_size(MPI_COMM_WORLD);
  const int block = bytes / size;
  MPI_Request request;
  memset(data + rank * block, rank, (size_t)block);
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_BYTE, data, block, MPI_BYTE, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < size * block; ++i) CHECK(data[i] == i / block);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD);
  const int bytes = argc > 1 ? atoi(argv[1]) : 8;
  char* data = malloc((size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  bcast(data, bytes, rank);
  allgather(data, bytes, rank);
  free(data);
  return check_end();
}
