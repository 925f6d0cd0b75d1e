/* SPDX-License-Identifier: Apache-2.0 */
/* After some long calls the ranks give up their user, or else let nobody read their memory.
 *   unreadable secret    the data is in memory that the system shows to no other process, where it
 *                        has such memory */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { count = 1 << 20 };

static int secret_memory(void) {
#ifdef SYS_memfd_secret
  const int file = (int)syscall(SYS_memfd_secret, 0);
  if (file >= 0 && ftruncate(file, count) == 0) {
    char* data = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data != MAP_FAILED) {
      for (int i = 0; i < 20; ++i) MPI_Bcast(data, count, MPI_CHAR, 0, MPI_COMM_WORLD);
      MPI_Finalize();
      return 0;
    }
  }
#endif
  puts("not provided");
  MPI_Finalize();
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) return secret_memory();
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
