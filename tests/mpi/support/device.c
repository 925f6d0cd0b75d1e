/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for an MPI library that takes memory of a GPU. To be preloaded after Roundelay: what comes
 * from it to the MPI library may touch such memory; whatever else does ends with a signal. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

static char* memory;
static size_t length;

void* device_allocate(size_t bytes) {
  length = bytes;
  memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory;
}
int device_owns(const void* address) {
  return memory != NULL && (const char*)address >= memory && (const char*)address < memory + length;
}
void device_open(void) {
  if (memory != NULL) mprotect(memory, length, PROT_READ | PROT_WRITE);
}
void device_close(void) {
  if (memory != NULL) mprotect(memory, length, PROT_NONE);
}

#define AWARE(name, parameters, arguments)   \
  int MPI_##name parameters {                \
    device_open();                           \
    const int error = PMPI_##name arguments; \
    device_close();                          \
    return error;                            \
  }
#define IN const void *in, int n, MPI_Datatype t
#define OUT void *out, int m, MPI_Datatype u
#define COUNTS(of) const int *of##_counts, const int *of##_places
#define COMBINED const void *in, void *out

AWARE(Allgather, (IN, OUT, MPI_Comm c), (in, n, t, out, m, u, c))
AWARE(Allgatherv, (IN, void* out, COUNTS(to), MPI_Datatype u, MPI_Comm c),
      (in, n, t, out, to_counts, to_places, u, c))
AWARE(Allreduce, (COMBINED, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (in, out, n, t, o, c))
AWARE(Alltoall, (IN, OUT, MPI_Comm c), (in, n, t, out, m, u, c))
AWARE(Alltoallv,
      (const void* in, COUNTS(from), MPI_Datatype t, void* out, COUNTS(to), MPI_Datatype u,
       MPI_Comm c),
      (in, from_counts, from_places, t, out, to_counts, to_places, u, c))
AWARE(Alltoallw,
      (const void* in, COUNTS(from), const MPI_Datatype* t, void* out, COUNTS(to),
       const MPI_Datatype* u, MPI_Comm c),
      (in, from_counts, from_places, t, out, to_counts, to_places, u, c))
AWARE(Bcast, (OUT, int root, MPI_Comm c), (out, m, u, root, c))
AWARE(Exscan, (COMBINED, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (in, out, n, t, o, c))
AWARE(Gather, (IN, OUT, int root, MPI_Comm c), (in, n, t, out, m, u, root, c))
AWARE(Gatherv, (IN, void* out, COUNTS(to), MPI_Datatype u, int root, MPI_Comm c),
      (in, n, t, out, to_counts, to_places, u, root, c))
AWARE(Reduce, (COMBINED, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c),
      (in, out, n, t, o, root, c))
AWARE(Reduce_scatter, (COMBINED, const int* n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
      (in, out, n, t, o, c))
AWARE(Reduce_scatter_block, (COMBINED, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
      (in, out, n, t, o, c))
AWARE(Scan, (COMBINED, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (in, out, n, t, o, c))
AWARE(Scatter, (IN, OUT, int root, MPI_Comm c), (in, n, t, out, m, u, root, c))
AWARE(Scatterv, (const void* in, COUNTS(from), MPI_Datatype t, OUT, int root, MPI_Comm c),
      (in, from_counts, from_places, t, out, m, u, root, c))

/* By which Roundelay copies. */
int PMPI_Sendrecv(IN, int to, int tag, OUT, int from, int its_tag, MPI_Comm c, MPI_Status* status) {
  typedef int Function(IN, int, int, OUT, int, int, MPI_Comm, MPI_Status*);
  static Function* next;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Sendrecv");
  device_open();
  const int error = next(in, n, t, to, tag, out, m, u, from, its_tag, c, status);
  device_close();
  return error;
}
