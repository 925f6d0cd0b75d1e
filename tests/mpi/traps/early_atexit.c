/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_Finalize in an atexit handler that is older than all that libraries make: it runs after their
 * static objects are destroyed. */
#include <mpi.h>
#include <stdlib.h>

static void finalize(void) { MPI_Finalize(); }

int main(int argc, char** argv) {
  atexit(finalize);
  MPI_Init(&argc, &argv);
  int data = 0;
  MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return 0;
}
