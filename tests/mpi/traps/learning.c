// SPDX-License-Identifier: Apache-2.0
// Many calls of one kind, each checked: `learning COLLECTIVE COUNT CALLS [COMMUNICATORS]` with
// COUNT integers a block, on so many communicators one after the other: of the world, or duplicates
// that are freed after one call more each. `learning rare COUNT CALLS`: one
// call of allreduce, two of four times as many integers and so on to COUNT, and then so many of
// barrier on the same communicator.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static int *sent, *received, *counts, *offsets;

static void check(int right, const char* what, long call) {
  if (right) return;
  fprintf(stderr, "rank %d: call %ld of %s: wrong result\n", rank, call, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void make_call(const char* what, int count, long call, MPI_Comm comm) {
  const size_t all = (size_t)count * (size_t)ranks;
  const int root = (int)(call % ranks);
  for (size_t i = 0; i < all; ++i) sent[i] = (int)(call + rank * 3 + (long)(i % 1000));
  received[0] = -1;
  if (!strcmp(what, "allreduce")) {
    MPI_Allreduce(sent, received, count, MPI_INT, MPI_SUM, comm);
  } else if (!strcmp(what, "reduce")) {
    MPI_Reduce(sent, received, count, MPI_INT, MPI_SUM, root, comm);
  } else if (!strcmp(what, "bcast")) {
    MPI_Bcast(sent, count, MPI_INT, root, comm);
  } else if (!strcmp(what, "allgather")) {
    MPI_Allgather(sent, count, MPI_INT, received, count, MPI_INT, comm);
  } else if (!strcmp(what, "alltoall")) {
    MPI_Alltoall(sent, count, MPI_INT, received, count, MPI_INT, comm);
  } else if (!strcmp(what, "gatherv") || !strcmp(what, "uneven")) {
    /* uneven: some calls are 64 times as long as others. */
    const int some = strcmp(what, "uneven") != 0 || call % 100 == 99 ? count : count / 64;
    for (int i = 0; i < ranks; ++i) {
      counts[i] = some;
      offsets[i] = i * count;
    }
    MPI_Gatherv(sent, some, MPI_INT, received, counts, offsets, MPI_INT, root, comm);
    check(rank != root || received[(size_t)(ranks - 1) * (size_t)count + (size_t)some - 1] ==
                              (int)(call + (ranks - 1) * 3 + (some - 1) % 1000),
          what, call);
  } else {
    MPI_Barrier(comm);
  }
  const int other = ranks - 1;
  if (!strcmp(what, "allreduce") || (!strcmp(what, "reduce") && rank == root)) {
    check(received[count - 1] ==
              (int)(ranks * (call + (count - 1) % 1000) + 3L * ranks * (ranks - 1) / 2),
          what, call);
  } else if (!strcmp(what, "bcast")) {
    check(sent[count - 1] == (int)(call + root * 3 + (count - 1) % 1000), what, call);
  } else if (!strcmp(what, "allgather")) {
    check(received[all - 1] == (int)(call + other * 3 + (count - 1) % 1000), what, call);
  } else if (!strcmp(what, "alltoall")) {
    check(received[all - 1] ==
              (int)(call + other * 3 + (long)(((size_t)(rank + 1) * (size_t)count - 1) % 1000)),
          what, call);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* what = argv[1];
  const int count = atoi(argv[2]);
  const long calls = atol(argv[3]);
  const size_t all = (size_t)count * (size_t)ranks;
  sent = malloc((all + (size_t)ranks) * sizeof(int));
  received = malloc((all + (size_t)ranks) * sizeof(int));
  counts = malloc((size_t)ranks * sizeof(int));
  offsets = malloc((size_t)ranks * sizeof(int));
  if (!strcmp(what, "rare")) {
    for (int length = 1, few = 1; length <= count; length *= 4, ++few) {
      for (long call = 0; call < few; ++call) make_call("allreduce", length, call, MPI_COMM_WORLD);
    }
    what = "barrier";
  }
  const int communicators = argc > 4 ? atoi(argv[4]) : 0;
  for (int i = 0; i < (communicators > 0 ? communicators : 1); ++i) {
    MPI_Comm comm = MPI_COMM_WORLD;
    if (communicators > 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (long call = 0; call < calls + i; ++call) make_call(what, count, call, comm);
    if (communicators > 0) MPI_Comm_free(&comm);
  }
  free(sent);
  free(received);
  free(counts);
  free(offsets);
  MPI_Finalize();
  return 0;
}
