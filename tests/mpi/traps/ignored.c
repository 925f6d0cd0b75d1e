/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that MPI declares not significant may hold anything. */
#include "support/check.h"

enum { most = 64 };
static void* volatile wild = (void*)8; /* volatile: compilers warn of what they know */
static const MPI_Datatype no_type = MPI_DATATYPE_NULL;

/* Every rank's contribution lies in the output. */
static void everywhere(MPI_Comm comm, const int* counts, const int* places) {
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  const int sum = size * (size - 1) / 2;
  int data[most], bytes[most];
  MPI_Datatype types[most];
  for (int r = 0; r < size; ++r) {
    bytes[r] = places[r] * (int)sizeof(int);
    types[r] = MPI_INT;
  }
  for (int v = 0; v < 2; ++v) {
    check_fill(data, size, -1, 0);
    data[rank] = rank;
    if (!v) MPI_Allgather(MPI_IN_PLACE, -5, no_type, data, 1, MPI_INT, comm);
    if (v) MPI_Allgatherv(MPI_IN_PLACE, -5, no_type, data, counts, places, MPI_INT, comm);
    CHECK(check_run(data, size, 0, 1));
  }
  for (int kind = 0; kind < 3; ++kind) {
    check_fill(data, size, 100 * rank, 1);
    if (kind == 0) MPI_Alltoall(MPI_IN_PLACE, -5, no_type, data, 1, MPI_INT, comm);
    if (kind == 1) {
      MPI_Alltoallv(MPI_IN_PLACE, NULL, wild, no_type, data, counts, places, MPI_INT, comm);
    }
    if (kind == 2) MPI_Alltoallw(MPI_IN_PLACE, wild, NULL, wild, data, counts, bytes, types, comm);
    CHECK(check_run(data, size, rank, 100));
  }
  data[0] = rank;
  MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, comm);
  CHECK(data[0] == sum);
  data[0] = rank;
  MPI_Scan(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, comm);
  CHECK(data[0] == rank * (rank + 1) / 2);
  data[0] = rank;
  MPI_Exscan(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, comm);
  CHECK(rank == 0 || data[0] == rank * (rank - 1) / 2);
  check_fill(data, size, rank, 1);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, comm);
  CHECK(data[0] == sum + size * rank);
  check_fill(data, size, rank, 1);
  MPI_Reduce_scatter(MPI_IN_PLACE, data, counts, MPI_INT, MPI_SUM, comm);
  CHECK(data[0] == sum + size * rank);
}

/* Only the root's does; the others' arguments of the root's side are not read. */
static void at_root(MPI_Comm comm, int root, const int* counts, const int* places) {
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  const int mine = rank;
  int data[most], got = rank;
  check_fill(data, size, -1, 0);
  if (rank == root) {
    MPI_Reduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM, root, comm);
    CHECK(got == size * (size - 1) / 2);
    for (int v = 0; v < 2; ++v) {
      check_fill(data, size, -1, 0);
      data[rank] = rank;
      if (!v) MPI_Gather(MPI_IN_PLACE, -5, no_type, data, 1, MPI_INT, root, comm);
      if (v) MPI_Gatherv(MPI_IN_PLACE, -5, no_type, data, counts, places, MPI_INT, root, comm);
      CHECK(check_run(data, size, 0, 1));
    }
    MPI_Scatter(data, 1, MPI_INT, MPI_IN_PLACE, -5, no_type, root, comm);
    MPI_Scatterv(data, counts, places, MPI_INT, MPI_IN_PLACE, -5, no_type, root, comm);
    CHECK(check_run(data, size, 0, 1));
  } else {
    MPI_Reduce(&mine, root % 2 ? NULL : wild, 1, MPI_INT, MPI_SUM, root, comm);
    MPI_Gather(&mine, 1, MPI_INT, wild, -5, no_type, root, comm);
    MPI_Gatherv(&mine, 1, MPI_INT, wild, NULL, wild, no_type, root, comm);
    MPI_Scatter(wild, -5, no_type, &got, 1, MPI_INT, root, comm);
    CHECK(got == rank);
    got = -1;
    MPI_Scatterv(wild, NULL, wild, no_type, &got, 1, MPI_INT, root, comm);
    CHECK(got == rank);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int counts[most], places[most];
  check_fill(counts, most, 1, 0);
  check_fill(places, most, 0, 1);
  everywhere(MPI_COMM_WORLD, counts, places);
  for (int root = 0; root < check_size(MPI_COMM_WORLD); ++root) {
    at_root(MPI_COMM_WORLD, root, counts, places);
  }
  return check_end();
}
