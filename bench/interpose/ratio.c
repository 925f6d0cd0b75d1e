/* SPDX-License-Identifier: Apache-2.0 */
/* ratio [first]: MPI_Allreduce (ours, if the library is preloaded) against PMPI_Allreduce (the MPI
 * library's own), one double, in turn in one run. With `first` each call is the only one on a
 * duplicate of MPI_COMM_WORLD, and to make and free that counts. Prints the median times of a call
 * in microseconds, and their ratio: ours, native, ratio. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { blocks = 401, calls = 500 };

typedef struct {
  int (*allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*dup)(MPI_Comm, MPI_Comm*);
  int (*free)(MPI_Comm*);
} Functions;

static double block(Functions call, int first) {
  double mine = 1, sum = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  const double begun = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    if (first) call.dup(MPI_COMM_WORLD, &comm);
    call.allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (first) call.free(&comm);
  }
  return (MPI_Wtime() - begun) / calls;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values) {
  qsort(values, blocks, sizeof *values, ascending);
  return values[blocks / 2];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Functions through_us = {MPI_Allreduce, MPI_Comm_dup, MPI_Comm_free};
  const Functions natively = {PMPI_Allreduce, PMPI_Comm_dup, PMPI_Comm_free};
  const int first = argc > 1 && !strcmp(argv[1], "first");
  static double ours[blocks], native[blocks];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  block(through_us, first);
  block(natively, first);
  for (int i = 0; i < blocks; ++i) {
    /* Each goes first as often as the other: what disturbs a pair disturbs both. */
    if (i % 2 == 0) ours[i] = block(through_us, first);
    native[i] = block(natively, first);
    if (i % 2 == 1) ours[i] = block(through_us, first);
  }
  const double us = median(ours) * 1e6, them = median(native) * 1e6;
  if (rank == 0) printf("%.4f %.4f %.4f\n", us, them, us / them);
  MPI_Finalize();
  return 0;
}
