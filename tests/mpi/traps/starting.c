/* SPDX-License-Identifier: Apache-2.0 */
/* A tool that is to be preloaded before the library, and counts what is started and completed. */
#include <mpi.h>

static int starts;

int MPI_Start(MPI_Request* request) {
  ++starts;
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  starts += count;
  return PMPI_Startall(count, requests);
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  return PMPI_Waitany(count, requests, index, status);
}
