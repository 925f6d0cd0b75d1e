/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks in an order that has nothing to do with the machine's: in world, or (an argument) in
 * another communicator of the same processes. */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, argc > 1 ? rank % 2 * size - rank : rank, &comm);
  check_collectives(comm, 1);
  check_collectives(comm, 3000);
  MPI_Comm_free(&comm);
  return check_end();
}
