/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that MPI declares not significant may hold anything. */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  const int sum = size * (size - 1) / 2;
  void* wild = (void*)8;
  int data[64];

  for (int root = 0; root < size; ++root) {
    for (int r = 0; r < size; ++r) data[r] = -1;
    data[rank] = rank;
    MPI_Allgather(MPI_IN_PLACE, -5, MPI_DATATYPE_NULL, data, 1, MPI_INT, comm);
    for (int r = 0; r < size; ++r) CHECK(data[r] == r);

    data[0] = rank;
    MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, comm);
    CHECK(data[0] == sum);

    int mine = rank;
    if (rank == root) {
      MPI_Reduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, root, comm);
      CHECK(mine == sum);
    } else {
      MPI_Reduce(&mine, root % 2 ? NULL : wild, 1, MPI_INT, MPI_SUM, root, comm);
      CHECK(mine == rank);
    }
  }
  return check_end();
}
