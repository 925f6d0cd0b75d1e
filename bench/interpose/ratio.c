/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_Allreduce (ours, if the library is preloaded) against PMPI_Allreduce (the MPI library's own),
 * one double, in turn in one run. Prints the median times of a call in microseconds, and their
 * ratio: ours, native, ratio. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { blocks = 401, calls = 500 };

typedef int (*Allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

static double block(Allreduce allreduce) {
  double mine = 1, sum = 0;
  const double begun = MPI_Wtime();
  for (int i = 0; i < calls; ++i) allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
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
  static double ours[blocks], native[blocks];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  block(MPI_Allreduce);
  block(PMPI_Allreduce);
  for (int i = 0; i < blocks; ++i) {
    /* Each goes first as often as the other: what disturbs a pair disturbs both. */
    if (i % 2 == 0) ours[i] = block(MPI_Allreduce);
    native[i] = block(PMPI_Allreduce);
    if (i % 2 == 1) ours[i] = block(MPI_Allreduce);
  }
  const double us = median(ours) * 1e6, them = median(native) * 1e6;
  if (rank == 0) printf("%.4f %.4f %.4f\n", us, them, us / them);
  MPI_Finalize();
  return 0;
}
