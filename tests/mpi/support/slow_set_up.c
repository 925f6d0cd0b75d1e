/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded so that setting up a communicator takes long. Rank 0 says how often the ranks agreed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static int agreements;

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  static int (*next)(MPI_Comm, MPI_Group, MPI_Comm*);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Comm_create");
  usleep(500000);
  return next(comm, group, made);
}

int PMPI_Allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  static int (*next)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Allreduce");
  if (type == MPI_UINT64_T && op == MPI_MIN) ++agreements;
  return next(sent, received, count, type, op, comm);
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("agreements: %d\n", agreements);
  return PMPI_Finalize();
}
