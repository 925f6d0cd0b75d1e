/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks without data at displacements from NULL, on one rank only. One byte after NULL is
 * MPI_IN_PLACE in Open MPI. */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int rank = check_rank(comm), size = check_size(comm);
  int sent[64], received[64], places[64];
  char out[64], in[64];
  MPI_Datatype types[64], nothing, hollow;
  MPI_Type_contiguous(0, MPI_CHAR, &nothing);
  MPI_Type_create_resized(nothing, 0, 1, &hollow);
  MPI_Type_commit(&hollow);
  for (int i = 0; i < size; ++i) {
    places[i] = i;
    types[i] = MPI_CHAR;
    out[i] = (char)('a' + rank);
  }
  for (int call = 0; call < 20; ++call) {
    memset(in, '.', sizeof in);
    for (int i = 0; i < size; ++i) sent[i] = rank != 0, received[i] = i != 0;
    MPI_Alltoallv(rank ? out : NULL, sent, places, MPI_CHAR, in, received, places, MPI_CHAR, comm);
    for (int i = 0; i < size; ++i) CHECK(in[i] == (i ? 'a' + i : '.'));
    MPI_Alltoallw(rank ? out : NULL, sent, places, types, in, received, places, types, comm);
    for (int i = 0; i < size; ++i) sent[i] = i != 0, received[i] = rank != 0;
    MPI_Alltoallv(out, sent, places, MPI_CHAR, rank ? in : NULL, received, places, MPI_CHAR, comm);
    for (int i = 0; i < size; ++i) sent[i] = received[i] = 1;
    MPI_Alltoallv(rank ? out : NULL, sent, places, hollow, rank == 1 ? NULL : in, received, places,
                  hollow, comm);
    MPI_Allgatherv(rank ? out : NULL, 1, hollow, rank == 1 ? NULL : in, received, places, hollow,
                   comm);
  }
  MPI_Type_free(&hollow);
  MPI_Type_free(&nothing);
  return check_end();
}
