/* SPDX-License-Identifier: Apache-2.0 */
/* device RUNTIME WHO WHEN ROUNDS [between]: all collectives, so many times each, with memory of a
 * GPU, as support/device.c has it, on the ranks WHO ("all", "one", "none") from the round WHEN on.
 * The first rank loads the runtime at once, the others just before. "between": also an allgather
 * between rank 0 and the others. */
#include <dlfcn.h>
#include <mpi.h>

static void* (*device_allocate)(size_t);
static void (*device_open)(void), (*device_close)(void);

#define CLOSED(call) (device_close(), (void)(call), device_open())
#define MPI_Allgather(...) CLOSED(MPI_Allgather(__VA_ARGS__))
#define MPI_Allgatherv(...) CLOSED(MPI_Allgatherv(__VA_ARGS__))
#define MPI_Allreduce(...) CLOSED(MPI_Allreduce(__VA_ARGS__))
#define MPI_Alltoall(...) CLOSED(MPI_Alltoall(__VA_ARGS__))
#define MPI_Alltoallv(...) CLOSED(MPI_Alltoallv(__VA_ARGS__))
#define MPI_Alltoallw(...) CLOSED(MPI_Alltoallw(__VA_ARGS__))
#define MPI_Bcast(...) CLOSED(MPI_Bcast(__VA_ARGS__))
#define MPI_Exscan(...) CLOSED(MPI_Exscan(__VA_ARGS__))
#define MPI_Gather(...) CLOSED(MPI_Gather(__VA_ARGS__))
#define MPI_Gatherv(...) CLOSED(MPI_Gatherv(__VA_ARGS__))
#define MPI_Reduce(...) CLOSED(MPI_Reduce(__VA_ARGS__))
#define MPI_Reduce_scatter(...) CLOSED(MPI_Reduce_scatter(__VA_ARGS__))
#define MPI_Reduce_scatter_block(...) CLOSED(MPI_Reduce_scatter_block(__VA_ARGS__))
#define MPI_Scan(...) CLOSED(MPI_Scan(__VA_ARGS__))
#define MPI_Scatter(...) CLOSED(MPI_Scatter(__VA_ARGS__))
#define MPI_Scatterv(...) CLOSED(MPI_Scatterv(__VA_ARGS__))
#include "support/check.h"

static void* function(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) fprintf(stderr, "%s is missing\n", name), exit(2);
  return found;
}

static void begin_runtime(const char* path) {
  void* runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (runtime == NULL) fprintf(stderr, "%s\n", dlerror()), exit(2);
  void (*begin)(void);
  *(void**)&begin = function(runtime, "device_runtime_begin");
  begin();
}

static MPI_Comm between(MPI_Comm comm) {
  MPI_Comm group, inter;
  const int is_first = check_rank(comm) == 0;
  MPI_Comm_split(comm, is_first, 0, &group);
  MPI_Intercomm_create(group, 0, comm, is_first ? 1 : 0, 7, &inter);
  MPI_Comm_free(&group);
  return inter;
}

static void check_between(MPI_Comm inter, int rank, int count, int* mine, int* theirs) {
  int others;
  MPI_Comm_remote_size(inter, &others);
  check_fill(mine, count, 100 * rank, 1);
  MPI_Allgather(mine, count, MPI_INT, theirs, count, MPI_INT, inter);
  for (int k = 0; k < others; ++k) {
    const int sender = rank == 0 ? 1 + k : 0;
    CHECK(check_run(theirs + k * count, count, 100 * sender, 1));
  }
}

/* Blocks of several lengths, also empty ones, with gaps between them that stay as they are. */
static void check_gaps(MPI_Comm comm, int* in, int* out) {
  enum { apart = 100, first = 3 };
  const int rank = check_rank(comm), size = check_size(comm);
  int counts[64], places[64];
  for (int r = 0; r < size; ++r) {
    counts[r] = 7 * ((rank + r) % 3);
    places[r] = apart * r + first;
  }
  check_fill(in, apart * size, 1000 * rank, 1);
  check_fill(out, apart * size, -1, 0);
  MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
  for (int r = 0; r < size; ++r) {
    const int* block = out + places[r];
    CHECK(check_run(block - first, first, -1, 0));
    CHECK(check_run(block, counts[r], 1000 * r + apart * rank + first, 1));
    CHECK(check_run(block + counts[r], apart - first - counts[r], -1, 0));
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int rank = check_rank(comm), size = check_size(comm);
  const int mine = strcmp(argv[2], "all") == 0 || (strcmp(argv[2], "one") == 0 && rank == 1);
  const int when = atoi(argv[3]), rounds = atoi(argv[4]), count = 500;
  *(void**)&device_allocate = function(RTLD_DEFAULT, "device_allocate");
  *(void**)&device_open = function(RTLD_DEFAULT, "device_open");
  *(void**)&device_close = function(RTLD_DEFAULT, "device_close");

  const size_t units = (size_t)(count * size);
  int* host = malloc(sizeof(int) * 2 * units);
  int* memory = host;
  MPI_Comm inter = argc > 5 ? between(comm) : MPI_COMM_NULL;
  if (rank == 0) begin_runtime(argv[1]);
  for (int i = 0; i < rounds; ++i) {
    if (i == when && mine) {
      if (rank != 0) begin_runtime(argv[1]);
      memory = device_allocate(sizeof(int) * 2 * units);
    }
    check_moving(comm, count, memory, memory + units);
    check_combining(comm, count, memory, memory + units);
    check_gaps(comm, memory, memory + units);
    int* in_place = memory;
    check_fill(in_place, count, rank, 1);
    MPI_Allreduce(MPI_IN_PLACE, in_place, count, MPI_INT, MPI_SUM, comm);
    CHECK(check_run(in_place, count, size * (size - 1) / 2, size));
    /* Every second int; those between stay as they are. */
    MPI_Datatype spread;
    MPI_Type_vector(count / 2, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    check_fill(memory, count, rank == 0 ? 5 : -9000, 1);
    MPI_Bcast(memory, 1, spread, 0, comm);
    for (int k = 0; k < count; ++k) {
      CHECK(memory[k] == (rank == 0 || k % 2 == 0 ? 5 + k : -9000 + k));
    }
    MPI_Type_free(&spread);
    if (inter != MPI_COMM_NULL) check_between(inter, rank, count, memory, memory + units);
  }
  if (inter != MPI_COMM_NULL) MPI_Comm_free(&inter);
  free(host);
  return check_end();
}
