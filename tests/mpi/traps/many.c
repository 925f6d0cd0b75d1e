/* SPDX-License-Identifier: Apache-2.0 */
/* More communicators at once, each with a collective, than the MPI library could make if each had
 * a second one beside it: MPICH has 2048 context ids. */
#include "support/check.h"

enum { communicators = 1500 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static MPI_Comm comms[communicators];
  const int size = check_size(MPI_COMM_WORLD);
  for (int i = 0; i < communicators; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    int mine = i, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
    CHECK(sum == size * i);
  }
  for (int i = 0; i < communicators; ++i) MPI_Comm_free(&comms[i]);
  return check_end();
}
