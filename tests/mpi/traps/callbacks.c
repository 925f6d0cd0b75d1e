/* SPDX-License-Identifier: Apache-2.0 */
/* Delete callbacks of the program's attributes that call collectives on the communicator that is
 * being freed, of attributes that were set before its first collective and after it; and then
 * communicators that get the same handle. */
#include "support/check.h"

static int called;

static int sum_over(MPI_Comm comm) {
  int mine = check_rank(comm) + 1, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

static int delete_it(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  const int size = check_size(comm);
  CHECK(sum_over(comm) == size * (size + 1) / 2);
  ++called;
  return MPI_SUCCESS;
}

/* The ranks of a part of the world, in the other order every second time. */
static MPI_Comm make(int part, int turned) {
  MPI_Comm comm;
  const int rank = check_rank(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, part, turned ? -rank : rank, &comm);
  return comm;
}

static void use(MPI_Comm comm) {
  const int size = check_size(comm), rank = check_rank(comm);
  int all[64];
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
  for (int i = 0; i < size; ++i) CHECK(all[i] == i);
  CHECK(sum_over(comm) == size * (size + 1) / 2);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int before, after;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_it, &before, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_it, &after, NULL);
  const int rank = check_rank(MPI_COMM_WORLD);
  for (int i = 0; i < 12; ++i) {
    MPI_Comm comm = make(i % 3 == 2 ? rank % 2 : 0, i % 2);
    if (i % 4 != 3) MPI_Comm_set_attr(comm, before, NULL);
    use(comm);
    if (i % 4 != 1) MPI_Comm_set_attr(comm, after, NULL);
    called = 0;
    if (i % 2 == 0) {
      MPI_Comm_free(&comm);
    } else {
      MPI_Comm_disconnect(&comm);
    }
    CHECK(called == (i % 4 != 3) + (i % 4 != 1));
    CHECK(comm == MPI_COMM_NULL);
  }
  return check_end();
}
