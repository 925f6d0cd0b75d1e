/* SPDX-License-Identifier: Apache-2.0 */
/* After some long calls the ranks give up their user, or else let nobody read their memory. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = 1 << 20;
  char* data = calloc((size_t)count, 1);
  for (int i = 0; i < 40; ++i) {
    if (i == 20 && geteuid() == 0) {
      if (setresuid(65534, 65534, 65534) != 0) return 1;
    } else if (i == 20) {
      prctl(PR_SET_DUMPABLE, 0);
    }
    MPI_Bcast(data, count, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  free(data);
  return 0;
}
