/* SPDX-License-Identifier: Apache-2.0 */
/* Long broadcasts from memory that no other process may read.
 *   unreadable user      after some calls, because the ranks give up their user, or else let nobody
 *                        read their memory
 *   unreadable secret    the system shows it to no other process, where it has such memory */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { count = 1 << 20 };

static char* secret_memory(void) {
#ifdef SYS_memfd_secret
  const int file = (int)syscall(SYS_memfd_secret, 0);
  if (file >= 0 && ftruncate(file, count) == 0) {
    char* data = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data != MAP_FAILED) return data;
  }
#endif
  return NULL;
}

static int hide_memory(void) {
  if (geteuid() == 0) return setresuid(65534, 65534, 65534);
  return prctl(PR_SET_DUMPABLE, 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int secret = strcmp(argv[1], "secret") == 0;
  char* data = secret ? secret_memory() : malloc((size_t)count);
  int wrong = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (data == NULL) puts("not provided");
  for (int i = 0; data != NULL && i < 40; ++i) {
    if (i == 20 && !secret && hide_memory() != 0) return 1;
    memset(data, rank == i % 3 ? i : -1, count);
    MPI_Bcast(data, count, MPI_CHAR, i % 3, MPI_COMM_WORLD);
    for (int at = 0; at < count; ++at) wrong += data[at] != i;
  }
  MPI_Finalize();
  return wrong != 0;
}
