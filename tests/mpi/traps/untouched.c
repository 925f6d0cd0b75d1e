/* SPDX-License-Identifier: Apache-2.0 */
/* What the library does not run itself: collectives on intercommunicators, non-blocking ones before
 * the first that waits, also among neighbours. Of its own, each once. */
#include "support/check.h"

static void between_groups(int rank, int size) {
  MPI_Comm half, inter;
  const int left = rank < size / 2;
  const int others = left ? size - size / 2 : size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, left, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, left ? size / 2 : 0, 5, &inter);

  int value = rank == 0 ? 4711 : -1;
  MPI_Bcast(&value, 1, MPI_INT, left ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, inter);
  CHECK(value == (left && rank != 0 ? -1 : 4711));

  int all[64], sum = -1, expected = 0;
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, inter);
  for (int i = 0; i < others; ++i) CHECK(all[i] == (left ? size / 2 + i : i));
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  for (int i = 0; i < others; ++i) expected += left ? size / 2 + i : i;
  CHECK(sum == expected);
  MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, left ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0,
             inter);
  for (int i = 0; i < others && rank == 0 && left; ++i) CHECK(all[i] == size / 2 + i);
  for (int i = 0; i < others; ++i) all[i] = rank;
  int got[64];
  MPI_Alltoall(all, 1, MPI_INT, got, 1, MPI_INT, inter);
  for (int i = 0; i < others; ++i) CHECK(got[i] == (left ? size / 2 + i : i));
  MPI_Barrier(inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static void in_neighbourhoods(int rank, int size) {
  const int periodic = 1;
  int from[2] = {-1, -1};
  MPI_Comm ring;
  MPI_Request request;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Ineighbor_allgather(&rank, 1, MPI_INT, from, 1, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(from[0] == (rank + size - 1) % size && from[1] == (rank + 1) % size);
  MPI_Comm_free(&ring);
}

static void without_blocking(int rank, int size) {
  const int sum = size * (size - 1) / 2;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  int told = rank == 0 ? 12 : 0, total = 0, gathered[64];
  MPI_Ibcast(&told, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Iallgather(&rank, 1, MPI_INT, gathered, 1, MPI_INT, MPI_COMM_WORLD, &requests[2]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
  check_collectives(MPI_COMM_WORLD, 9); /* while they are pending */
  MPI_Waitall(4, requests, statuses);
  CHECK(told == 12 && total == sum);
  for (int i = 0; i < size; ++i) CHECK(gathered[i] == i);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  without_blocking(rank, size);
  in_neighbourhoods(rank, size);
  between_groups(rank, size);
  return check_end();
}
