// SPDX-License-Identifier: Apache-2.0
// short_lived CALLS: communicators that see one short call each, after a collective on
// MPI_COMM_WORLD, and then one that sees so many long calls.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { communicators = 3, elements = 1 << 18 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int calls = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < communicators; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int sum = rank;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
  }
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int* values = calloc(elements, sizeof(int));
  for (int i = 0; i < calls; ++i) MPI_Bcast(values, elements, MPI_INT, 0, comm);
  free(values);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  if (rank == 0) printf("finished\n");
}
