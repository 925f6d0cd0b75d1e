/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives on communicators of which duplicates are being made by MPI_Comm_idup: the first ones
 * there, so that the library sets up what it needs, and some more. The duplicates are used, too,
 * the last one first. Some requests are complete when the next duplicate is asked for. */
#include <unistd.h>

#include "support/check.h"

enum { rounds = 40, most = 3, numbers = 3000 };

static void use(MPI_Comm comm) {
  const int size = check_size(comm), rank = check_rank(comm);
  static int all[numbers];
  check_fill(all, numbers, 0, 1);
  MPI_Allreduce(MPI_IN_PLACE, all, numbers, MPI_INT, MPI_SUM, comm);
  CHECK(check_run(all, numbers, 0, size));
  int counts[64], places[64], in[64], out[64];
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i, in[i] = 100 * rank + i;
  for (int i = 0; i < 3; ++i) {
    MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
    CHECK(check_run(out, size, rank, 100));
  }
}

static void pass_on(MPI_Comm comm) {
  const int size = check_size(comm), rank = check_rank(comm);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int got = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, comm, MPI_STATUS_IGNORE);
  CHECK(got == left);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD), size = check_size(MPI_COMM_WORLD);
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm comm, duplicates[most];
    MPI_Request requests[most];
    MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? -rank : rank, &comm);
    if (i % 4 == 3) use(comm);
    if (i % size == rank) usleep(100 * (useconds_t)(i % 7)); /* one rank comes later */
    const int count = 1 + i % most;
    for (int k = 0; k < count; ++k) {
      /* Open MPI may confuse several that it makes at once. */
      MPI_Comm_idup(comm, &duplicates[k], &requests[k]);
      if (k < count - 1) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    }
    use(comm);
    MPI_Wait(&requests[count - 1], MPI_STATUS_IGNORE);
    for (int k = count - 1; k >= 0; --k) {
      pass_on(duplicates[k]);
      use(duplicates[k]);
      MPI_Comm_free(&duplicates[k]);
    }
    use(comm);
    MPI_Comm_free(&comm);
  }
  return check_end();
}
