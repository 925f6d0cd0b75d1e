/* SPDX-License-Identifier: Apache-2.0 */
/* The large-count entry points, as mpi4py calls them on MPICH: each once. */
#include "support/check.h"

#if MPI_VERSION >= 4
/* On a ring: the second block of the rank before, and the first of the one after. */
static void call_neighbours(MPI_Comm comm, const int* in, int* all, const MPI_Count* counts,
                            const MPI_Aint* places, const MPI_Aint* bytes,
                            const MPI_Datatype* types) {
  const int size = check_size(comm), periodic = 1;
  int before, after;
  MPI_Comm ring;
  MPI_Cart_create(comm, 1, &size, &periodic, 0, &ring);
  MPI_Cart_shift(ring, 0, 1, &before, &after);
  for (int kind = 0; kind < 5; ++kind) {
    check_fill(all, 2, -1, 0);
    if (kind == 0) MPI_Neighbor_allgather_c(in, 1, MPI_INT, all, 1, MPI_INT, ring);
    if (kind == 1) {
      MPI_Neighbor_allgatherv_c(in, 1, MPI_INT, all, counts, places, MPI_INT, ring);
    }
    const int first = kind < 2 ? 0 : 1;
    if (kind == 2) MPI_Neighbor_alltoall_c(in, 1, MPI_INT, all, 1, MPI_INT, ring);
    if (kind == 3) {
      MPI_Neighbor_alltoallv_c(in, counts, places, MPI_INT, all, counts, places, MPI_INT, ring);
    }
    if (kind == 4) {
      MPI_Neighbor_alltoallw_c(in, counts, bytes, types, all, counts, bytes, types, ring);
    }
    CHECK(all[0] == 100 * before + first && all[1] == 100 * after);
  }
  MPI_Comm_free(&ring);
}

static void call_all(MPI_Comm comm) {
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  const int sum = size * (size - 1) / 2;
  int in[64], all[64], one = rank == 0 ? 5 : 0;
  MPI_Count counts[64];
  MPI_Aint places[64], bytes[64];
  MPI_Datatype types[64];
  for (int r = 0; r < size; ++r) {
    counts[r] = 1;
    places[r] = r;
    bytes[r] = r * (MPI_Aint)sizeof(int);
    types[r] = MPI_INT;
  }
  check_fill(in, size, 100 * rank, 1);
  MPI_Bcast_c(&one, 1, MPI_INT, 0, comm);
  CHECK(one == 5);
  MPI_Allgather_c(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
  CHECK(check_run(all, size, 0, 1));
  MPI_Allgatherv_c(in, 1, MPI_INT, all, counts, places, MPI_INT, comm);
  CHECK(check_run(all, size, 0, 100));
  MPI_Gather_c(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
  CHECK(rank != 0 || check_run(all, size, 0, 1));
  MPI_Gatherv_c(in, 1, MPI_INT, all, counts, places, MPI_INT, 0, comm);
  CHECK(rank != 0 || check_run(all, size, 0, 100));
  MPI_Scatter_c(in, 1, MPI_INT, &one, 1, MPI_INT, 0, comm);
  CHECK(one == rank);
  MPI_Scatterv_c(in, counts, places, MPI_INT, &one, 1, MPI_INT, size - 1, comm);
  CHECK(one == 100 * (size - 1) + rank);
  MPI_Alltoall_c(in, 1, MPI_INT, all, 1, MPI_INT, comm);
  CHECK(check_run(all, size, rank, 100));
  check_fill(all, size, 0, 0);
  MPI_Alltoallv_c(in, counts, places, MPI_INT, all, counts, places, MPI_INT, comm);
  CHECK(check_run(all, size, rank, 100));
  check_fill(all, size, 0, 0);
  MPI_Alltoallw_c(in, counts, bytes, types, all, counts, bytes, types, comm);
  CHECK(check_run(all, size, rank, 100));
  call_neighbours(comm, in, all, counts, places, bytes, types);
  MPI_Allreduce_c(&rank, &one, 1, MPI_INT, MPI_SUM, comm);
  CHECK(one == sum);
  MPI_Reduce_c(&rank, &one, 1, MPI_INT, MPI_MAX, 0, comm);
  CHECK(rank != 0 || one == size - 1);
  MPI_Scan_c(&rank, &one, 1, MPI_INT, MPI_SUM, comm);
  CHECK(one == rank * (rank + 1) / 2);
  MPI_Exscan_c(&rank, &one, 1, MPI_INT, MPI_SUM, comm);
  CHECK(rank == 0 || one == rank * (rank - 1) / 2);
  MPI_Reduce_scatter_c(in, &one, counts, MPI_INT, MPI_SUM, comm);
  CHECK(one == 100 * sum + size * rank);
  MPI_Reduce_scatter_block_c(in, &one, 1, MPI_INT, MPI_MAX, comm);
  CHECK(one == 100 * (size - 1) + rank);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
#if MPI_VERSION >= 4
  call_all(MPI_COMM_WORLD);
#else
  if (check_rank(MPI_COMM_WORLD) == 0) puts("not provided");
#endif
  return check_end();
}
