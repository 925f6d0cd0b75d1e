/* SPDX-License-Identifier: Apache-2.0 */
/* Functions within which an MPI library communicates among all ranks; and one MPI_Bcast. */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int value = 5;
  MPI_Comm copy, half;
  MPI_Win window;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(copy, check_rank(copy) % 2, 0, &half);
  MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  return check_end();
}
