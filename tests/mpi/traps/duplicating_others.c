/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives on communicators while a duplicate of an older one is being made: the first rank has
 * begun it before, the others begin it after. The argument says on which communicators: "within",
 * "between" two groups, or with "neighbours". */
#include "support/check.h"

enum { calls = 40, most = 20000 };
static int in[most * 8], out[most * 8];

static void use(MPI_Comm comm, const char* what) {
  const int size = check_size(comm);
  for (int i = 0; i < calls; ++i) {
    if (strcmp(what, "within") == 0) {
      const int count = i % 2 ? most : 5;
      check_fill(in, count, i, 1);
      MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
      CHECK(check_run(out, count, i * size, size));
    } else if (strcmp(what, "between") == 0) {
      in[0] = i;
      MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm);
      CHECK(out[0] == i);
    } else {
      in[0] = 2 * i, in[1] = 2 * i + 1;
      MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
      CHECK(out[0] + out[1] == 4 * i + 1); /* MPICH 4 pairs the edges the other way round */
    }
  }
}

static MPI_Comm made(const char* what) {
  const int rank = check_rank(MPI_COMM_WORLD), size = check_size(MPI_COMM_WORLD);
  MPI_Comm comm, group;
  if (strcmp(what, "within") == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  } else if (strcmp(what, "between") == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 7, &comm);
    MPI_Comm_free(&group);
  } else { /* two edges to the next rank */
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    const int from[] = {left, left}, to[] = {right, right}, weights[] = {1, 1};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, weights, 2, to, weights, MPI_INFO_NULL,
                                   0, &comm);
  }
  return comm;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int is_first = check_rank(MPI_COMM_WORLD) == 0;
  MPI_Comm older, comm, duplicate;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &older);
  comm = made(argv[1]);
  const MPI_Comm duplicated = strcmp(argv[1], "neighbours") == 0 ? MPI_COMM_WORLD : older;
  if (is_first) MPI_Comm_idup(duplicated, &duplicate, &request);
  use(comm, argv[1]);
  if (!is_first) MPI_Comm_idup(duplicated, &duplicate, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use(comm, argv[1]);
  check_collectives(duplicate, 3);
  MPI_Comm_free(&duplicate);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&older);
  return check_end();
}
