/* SPDX-License-Identifier: Apache-2.0 */
/* A library (LIBRARY) whose functions have names of MPI's in Fortran without an underscore, as
 * those of R's package Rmpi, and a program that loads it and calls them by their addresses. */
#ifdef LIBRARY
int mpi_init(int value) { return value + 1; }
int mpi_barrier(int value) { return value + 2; }
int mpi_bcast(int value) { return value + 3; }
int mpi_comm_free(int value) { return value + 4; }
int mpi_finalize(int value) { return value + 5; }

int (*const own_functions[])(int) = {mpi_init, mpi_barrier, mpi_bcast, mpi_comm_free, mpi_finalize};
#else
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

typedef int Own(int);

int main(int argc, char** argv) {
  int mine = 1;
  int sum = 0;
  int ranks = 0;
  MPI_Init(NULL, NULL);
  void* library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  Own* const* own = library == NULL ? NULL : dlsym(library, "own_functions");
  if (own == NULL) return 2;
  for (int i = 0; i < 5; ++i) {
    if (own[i](10) != 11 + i) return 1;
  }
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != ranks;
}
#endif
