/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded so that what the ranks of a communicator agree by fails, on all ranks alike. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

int PMPI_Allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  static int (*next)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Allreduce");
  if (type == MPI_UINT64_T && op == MPI_MIN) return MPI_ERR_OTHER;
  return next(sent, received, count, type, op, comm);
}
