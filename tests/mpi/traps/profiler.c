/* SPDX-License-Identifier: Apache-2.0 */
/* A profiler as others write them; to be preloaded after the library. Says what rank 0 called. */
#include <mpi.h>
#include <stdio.h>

static int allreduces;
static int messages;

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ++allreduces;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++messages;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++messages;
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("profiler: %d allreduces, %d messages\n", allreduces, messages);
  return PMPI_Finalize();
}
