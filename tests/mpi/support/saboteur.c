/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded to see whether the matrix notices: an MPI_Bcast that is wrong on the last rank in the
 * way that the variable SABOTAGE names. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank, size, bytes;
  MPI_Aint lb, extent;
  const int error = PMPI_Bcast(buffer, count, type, root, comm);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  PMPI_Type_size(type, &bytes);
  PMPI_Type_get_true_extent(type, &lb, &extent);
  if (rank != size - 1 || count == 0) return error;
  char* first = (char*)buffer + lb;
  const char* way = getenv("SABOTAGE");
  if (strcmp(way, "data") == 0) first[0] ^= 1;
  if (strcmp(way, "before") == 0) first[-1] ^= 1;
  if (strcmp(way, "after") == 0 && count == 1) first[extent] ^= 1;
  if (strcmp(way, "gap") == 0 && bytes < extent) memset(first + 4, 7, 4);
  return error;
}
