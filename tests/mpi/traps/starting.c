/* SPDX-License-Identifier: Apache-2.0 */
/* A tool that is to be preloaded before the library, or linked to the program. It counts what is
 * started (STARTS), what is completed by some functions (WAITS), communicators of which duplicates
 * are begun (DUPLICATES), or operations that are freed. */
#include <mpi.h>

static int calls;

#if defined STARTS
int MPI_Start(MPI_Request* request) {
  ++calls;
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  calls += count;
  return PMPI_Startall(count, requests);
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  return PMPI_Waitany(count, requests, index, status);
}
#elif defined WAITS
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  ++calls;
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  calls += count;
  return PMPI_Waitall(count, requests, statuses);
}
#elif defined DUPLICATES
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* duplicate, MPI_Request* request) {
  ++calls;
  return PMPI_Comm_idup(comm, duplicate, request);
}
#else
int MPI_Op_free(MPI_Op* op) {
  ++calls;
  return PMPI_Op_free(op);
}
#endif
