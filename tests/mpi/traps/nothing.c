/* SPDX-License-Identifier: Apache-2.0 */
/* No data: zero counts with NULL buffers, and types of size zero. */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int rank = check_rank(comm);
  MPI_Datatype empty, hollow;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  MPI_Type_create_resized(empty, 0, 16, &hollow);
  MPI_Type_commit(&hollow);
  const int zeros[64] = {0}, none[64] = {0}; /* MPICH takes equal arrays for aliased buffers */
  MPI_Datatype types[64];
  for (int r = 0; r < 64; ++r) types[r] = MPI_INT;
  char canary[256];
  memset(canary, 42, sizeof canary);
  for (int root = 0; root < check_size(comm); ++root) {
    CHECK(MPI_Bcast(NULL, 0, MPI_INT, root, comm) == MPI_SUCCESS);
    CHECK(MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, comm) == MPI_SUCCESS);
    CHECK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, NULL, 0, MPI_INT, comm) == MPI_SUCCESS);
    CHECK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    CHECK(MPI_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, root, comm) == MPI_SUCCESS);
    CHECK(MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, comm) == MPI_SUCCESS);
    CHECK(MPI_Gatherv(NULL, 0, MPI_INT, NULL, zeros, zeros, MPI_INT, root, comm) == MPI_SUCCESS);
    CHECK(MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, comm) == MPI_SUCCESS);
    CHECK(MPI_Scatterv(NULL, zeros, zeros, MPI_INT, NULL, 0, MPI_INT, root, comm) == MPI_SUCCESS);
    CHECK(MPI_Bcast(canary, 5, empty, root, comm) == MPI_SUCCESS);
    CHECK(MPI_Bcast(canary, 5, hollow, root, comm) == MPI_SUCCESS);
    /* equal signatures: none is sent, and none is received */
    CHECK(MPI_Bcast(canary, rank == root ? 0 : 3, rank == root ? MPI_INT : hollow, root, comm) ==
          MPI_SUCCESS);
    CHECK(MPI_Allgather(canary, 2, hollow, canary + 128, 2, hollow, comm) == MPI_SUCCESS);
  }
  CHECK(MPI_Allgatherv(NULL, 0, MPI_INT, NULL, zeros, zeros, MPI_INT, comm) == MPI_SUCCESS);
  CHECK(MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, comm) == MPI_SUCCESS);
  CHECK(MPI_Alltoallv(NULL, zeros, zeros, MPI_INT, NULL, none, none, MPI_INT, comm) == MPI_SUCCESS);
  CHECK(MPI_Alltoallw(NULL, zeros, zeros, types, NULL, none, none, types, comm) == MPI_SUCCESS);
  CHECK(MPI_Reduce_scatter(NULL, NULL, zeros, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  /* Some ranks get nothing, and on the first one exscan has no result. */
  const int size = check_size(comm);
  int some[64], in[64], sum = -1;
  for (int r = 0; r < 64; ++r) some[r] = r % 2;
  for (int r = 0; r < 64; ++r) in[r] = r;
  CHECK(MPI_Reduce_scatter(in, some[rank] ? &sum : NULL, some, MPI_INT, MPI_SUM, comm) ==
        MPI_SUCCESS);
  CHECK(sum == (some[rank] ? rank / 2 * size : -1));
  /* The type of a block of nothing does not count; MPI libraries differ in what they take there. */
  if (argc > 1) {
    MPI_Datatype open;
    int counts[64], places[64];
    MPI_Type_contiguous(2, MPI_INT, &open);
    for (int r = 0; r < size; ++r) {
      counts[r] = rank == r; /* each rank has one for itself */
      places[r] = 0;
      types[r] = counts[r] ? MPI_INT : open;
    }
    sum = -1;
    CHECK(MPI_Alltoallw(&rank, counts, places, types, &sum, counts, places, types, comm) ==
          MPI_SUCCESS);
    CHECK(sum == rank);
    for (int r = 0; r < size; ++r) types[r] = MPI_INT;
    MPI_Type_free(&open);
  }
#ifdef OPEN_MPI /* MPICH wants a buffer there, too */
  CHECK(MPI_Exscan(in + 1, rank > 0 ? &sum : NULL, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  CHECK(rank == 0 || sum == rank);
#endif
  CHECK(MPI_Reduce_scatter_block(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  CHECK(MPI_Scan(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  CHECK(MPI_Exscan(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  CHECK(MPI_Alltoall(canary, 2, hollow, canary + 128, 2, hollow, comm) == MPI_SUCCESS);
  for (size_t i = 0; i < sizeof canary; ++i) CHECK(canary[i] == 42);
  MPI_Type_free(&hollow);
  MPI_Type_free(&empty);
  return check_end();
}
