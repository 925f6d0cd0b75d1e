/* SPDX-License-Identifier: Apache-2.0 */
/* makers THREADS CALLS, with MPI_THREAD_MULTIPLE: threads that make communicators of groups that
 * overlap, and use each for so many calls. Open MPI's ranks agree on the number of each new
 * communicator, in an order that each process keeps; one more communicator, made in a collective,
 * could end in a deadlock. */
#include "support/threads.h"

enum { most_threads = 4, times = 12 };

static int calls;
static MPI_Group all, most;

static void use(MPI_Group group, int thread) {
  MPI_Comm comm;
  MPI_Comm_create_group(MPI_COMM_WORLD, group, thread, &comm);
  for (int i = 0; i < calls; ++i) {
    int sum = check_rank(comm);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == check_size(comm) * (check_size(comm) - 1) / 2);
  }
  MPI_Comm_free(&comm);
}

static void* work(void* argument) {
  const int thread = *(int*)argument;
  int rank;
  MPI_Group_rank(most, &rank);
  for (int i = 0; i < times; ++i) {
    if (rank != MPI_UNDEFINED) use(most, thread);
    use(all, thread);
  }
  return NULL;
}

int main(int argc, char** argv) {
  check_init_threads(&argc, &argv);
  calls = atoi(argv[2]);
  const int threads = atoi(argv[1]);
  int numbers[most_threads];
  int range[1][3] = {{0, check_size(MPI_COMM_WORLD) / 2, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, range, &most);
  check_fill(numbers, threads, 0, 1);
  check_in_threads(work, numbers, threads, sizeof numbers[0]);
  MPI_Group_free(&most);
  MPI_Group_free(&all);
  return check_end();
}
