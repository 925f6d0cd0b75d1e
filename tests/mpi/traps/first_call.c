/* SPDX-License-Identifier: Apache-2.0 */
/* The first intercepted call on a communicator, with what only one rank knows, and then another
 * call: whatever a rank does with the first, it takes part in what the ranks agree on. Nor does
 * what only some ranks ran change what the next call does, whether that is intercepted or not.
 *   first_call empty     count 0, with NULL on some ranks
 *   first_call illegal   arguments that some ranks pass are not legal, under MPI_ERRORS_RETURN */
#include "support/check.h"

enum { most = 16, collectives = 17 };

static int rank, size;
static int none[most], one[most], zero[most];
static int in[most], out[most];

/* `count` elements in each block. The root is 0. */
struct call {
  int* in;
  int* out;
  int count;
  const int* counts;
  MPI_Datatype type;
};

static int run(int which, struct call c, MPI_Comm comm) {
  const MPI_Datatype t = c.type;
  MPI_Datatype types[most];
  for (int i = 0; i < most; ++i) types[i] = t;
  switch (which) {
    case 0: return MPI_Allgather(c.in, c.count, t, c.out, c.count, t, comm);
    case 1: return MPI_Allgatherv(c.in, c.count, t, c.out, c.counts, zero, t, comm);
    case 2: return MPI_Allreduce(c.in, c.out, c.count, t, MPI_SUM, comm);
    case 3: return MPI_Alltoall(c.in, c.count, t, c.out, c.count, t, comm);
    case 4: return MPI_Alltoallv(c.in, c.counts, zero, t, c.out, c.counts, zero, t, comm);
    case 5: return MPI_Alltoallw(c.in, c.counts, zero, types, c.out, c.counts, zero, types, comm);
    case 6: return MPI_Barrier(comm);
    case 7: return MPI_Bcast(c.out, c.count, t, 0, comm);
    case 8: return MPI_Exscan(c.in, c.out, c.count, t, MPI_SUM, comm);
    case 9: return MPI_Gather(c.in, c.count, t, c.out, c.count, t, 0, comm);
    case 10: return MPI_Gatherv(c.in, c.count, t, c.out, c.counts, zero, t, 0, comm);
    case 11: return MPI_Reduce(c.in, c.out, c.count, t, MPI_SUM, 0, comm);
    case 12: return MPI_Reduce_scatter(c.in, c.out, c.counts, t, MPI_SUM, comm);
    case 13: return MPI_Reduce_scatter_block(c.in, c.out, c.count, t, MPI_SUM, comm);
    case 14: return MPI_Scan(c.in, c.out, c.count, t, MPI_SUM, comm);
    case 15: return MPI_Scatter(c.in, c.count, t, c.out, c.count, t, 0, comm);
    default: return MPI_Scatterv(c.in, c.counts, zero, t, c.out, c.count, t, 0, comm);
  }
}

/* Of two ranks one passes NULL. MPICH takes two NULL buffers of alltoallv and alltoallw for one
 * buffer that is given twice, and refuses that. */
static void empty(int which, MPI_Comm comm) {
  const int has_buffers = (rank + which) % 2;
  const int exchanges = which == 4 || which == 5;
  const struct call call = {has_buffers ? in : NULL, has_buffers || exchanges ? out : NULL, 0, none,
                            MPI_INT};
  CHECK(run(which, call, comm) == MPI_SUCCESS);
}

/* Where one rank's mistake would leave the others waiting without this library, too, all make one.
 * Else the root does where it receives, or the last rank where the root sends. */
static int root_receives(int which) { return which >= 9 && which <= 11; }
static int root_sends(int which) { return which == 7 || which >= 15; }
static void illegal(int which, MPI_Comm comm) {
  const int wrong = root_receives(which) ? rank == 0 : root_sends(which) ? rank == size - 1 : 1;
  if (which == 6) return; /* a barrier has no arguments */
  const struct call call = {in, out, 1, one, wrong ? MPI_DATATYPE_NULL : MPI_INT};
  const int error = run(which, call, comm);
  CHECK((error != MPI_SUCCESS) == wrong);
}

/* With `keep` the communicator is not freed. */
static void go_on_with(int which, int keep, MPI_Comm* comm) {
  MPI_Comm other;
  MPI_Request request;
  MPI_Win win;
  switch (which) {
    case 0: MPI_Comm_split(*comm, 0, rank, &other); break;
    case 1: MPI_Comm_dup(*comm, &other); break;
    case 2:
      MPI_Ibarrier(*comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 3:
      MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, *comm, &win);
      MPI_Win_free(&win);
      break;
    case 4: MPI_Barrier(*comm); break;
    default: break; /* the communicator is freed at once */
  }
  if (which < 2) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Comm_free(&other);
  }
  if (!keep) MPI_Comm_free(comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = check_rank(MPI_COMM_WORLD);
  size = check_size(MPI_COMM_WORLD);
  for (int i = 0; i < most; ++i) one[i] = 1;
  const int are_empty = strcmp(argv[1], "empty") == 0;
  for (int which = 0; which < collectives; ++which) {
    /* A mistake of one rank leaves messages that nobody receives. Open MPI 4.1.4 gives a new
     * communicator the number of one that was freed, and such a message that comes late makes its
     * calls wait for ever, also without this library. */
    const int keep = !are_empty && (root_receives(which) || root_sends(which));
    for (int next = 0; next < 6; ++next) {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      (are_empty ? empty : illegal)(which, comm);
      go_on_with(next, keep, &comm);
    }
  }
  return check_end();
}
