/* SPDX-License-Identifier: Apache-2.0 */
/* A receive of the user from any source with any tag must not match a collective's messages. */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  int received = -1;
  int done = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  for (int count = 0; count < 3000; count = 2 * count + 1) {
    check_collectives(MPI_COMM_WORLD, count);
    MPI_Test(&request, &done, &status);
    CHECK(!done);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &done, &status);
    CHECK(!done);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* all have looked */
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 77, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  CHECK(received == (rank + size - 1) % size);
  CHECK(status.MPI_TAG == 77);
  return check_end();
}
