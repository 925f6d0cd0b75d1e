/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_BOTTOM, which is NULL, with types of absolute addresses and gaps. */
#include "support/check.h"

enum { items = 5, stride = 2 };

/* Every other int from this address on. */
static MPI_Datatype absolute(const int* address, int count) {
  MPI_Datatype gaps, type;
  MPI_Aint at;
  MPI_Get_address(address, &at);
  MPI_Type_vector(count, 1, stride, MPI_INT, &gaps);
  MPI_Type_create_hindexed_block(1, 1, &at, gaps, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&gaps);
  return type;
}

/* Predefined types at displacements that are addresses; on the first rank they are not. */
static void among_neighbours(MPI_Comm comm) {
  const int size = check_size(comm), around = 1, counts[2] = {1, 1};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  int rank, in[2], out[2] = {-1, -1};
  MPI_Aint from[2], to[2];
  MPI_Comm ring;
  if (size < 3) return; /* two edges between the same ranks */
  MPI_Cart_create(comm, 1, &size, &around, 0, &ring);
  MPI_Comm_rank(ring, &rank);
  for (int i = 0; i < 2; ++i) {
    in[i] = 2 * rank + i;
    from[i] = to[i] = i * (MPI_Aint)sizeof(int);
    if (rank > 0) MPI_Get_address(&in[i], &from[i]);
    if (rank > 0) MPI_Get_address(&out[i], &to[i]);
  }
  MPI_Neighbor_alltoallw(rank > 0 ? MPI_BOTTOM : in, counts, from, types,
                         rank > 0 ? MPI_BOTTOM : out, counts, to, types, ring);
  CHECK(out[0] == 2 * ((rank + size - 1) % size) + 1);
  CHECK(out[1] == 2 * ((rank + 1) % size));
  MPI_Comm_free(&ring);
}

/* Both buffers at MPI_BOTTOM, which does not make them one: the types say where they are. */
static void both_at_bottom(MPI_Comm comm) {
  const int rank = check_rank(comm), size = check_size(comm);
  int in[64], out[64];
  for (int i = 0; i < size; ++i) {
    in[i] = 100 * rank + i;
    out[i] = -1;
  }
  MPI_Datatype types[2];
  int* const data[2] = {in, out};
  for (int i = 0; i < 2; ++i) {
    MPI_Aint at;
    MPI_Datatype one;
    MPI_Get_address(data[i], &at);
    MPI_Type_create_hindexed_block(1, 1, &at, MPI_INT, &one);
    MPI_Type_create_resized(one, 0, sizeof(int), &types[i]);
    MPI_Type_commit(&types[i]);
    MPI_Type_free(&one);
  }
  if (rank == 0) {
    MPI_Alltoall(MPI_BOTTOM, 1, types[0], MPI_BOTTOM, 1, types[1], comm);
  } else {
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
  }
  for (int i = 0; i < size; ++i) CHECK(in[i] == 100 * rank + i && out[i] == 100 * i + rank);
  for (int i = 0; i < 2; ++i) MPI_Type_free(&types[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  int in[items * stride];
  int out[64 * stride];

  for (int root = 0; root < size; ++root) {
    for (int i = 0; i < items * stride; ++i) in[i] = rank == root ? i : -1;
    MPI_Datatype type = absolute(in, items);
    MPI_Bcast(MPI_BOTTOM, 1, type, root, comm);
    for (int i = 0; i < items * stride; ++i) {
      CHECK(in[i] == (rank == root || i % stride == 0 ? i : -1));
    }
    MPI_Type_free(&type);
  }

  in[0] = rank;
  in[1] = -1;
  MPI_Datatype one = absolute(in, 1);
  MPI_Gather(MPI_BOTTOM, 1, one, out, 1, MPI_INT, 0, comm);
  for (int i = 0; rank == 0 && i < size; ++i) CHECK(out[i] == i);
  for (int i = 0; i < size; ++i) out[i * stride] = i;
  MPI_Datatype parts[64], ints[64];
  int counts[64], zeros[64], places[64], taken[64];
  for (int i = 0; i < size; ++i) {
    parts[i] = absolute(&out[i * stride], 1);
    ints[i] = MPI_INT;
    counts[i] = 1;
    zeros[i] = 0;
    places[i] = i * (int)sizeof(int);
  }
  MPI_Alltoallw(MPI_BOTTOM, counts, zeros, parts, taken, counts, places, ints, comm);
  for (int i = 0; i < size; ++i) CHECK(taken[i] == rank);
  MPI_Scatter(taken, 1, MPI_INT, MPI_BOTTOM, 1, one, 0, comm);
  CHECK(in[0] == 0 && in[1] == -1);
  for (int i = 0; i < size; ++i) MPI_Type_free(&parts[i]);
  MPI_Type_free(&one);
  both_at_bottom(comm);
  among_neighbours(comm);
  return check_end();
}
