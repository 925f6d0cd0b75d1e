/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of one node that call hardly anything but what does not wait:
 *   one_node persistent | nonblocking */
#include "support/check.h"
#include "support/persistent.h"

static void check_sum(int sum) { CHECK(sum == check_size(MPI_COMM_WORLD)); }

/* The first call of all. */
static void persistent(void) {
  const int one = 1;
  int sum = 0;
  MPI_Request request;
  MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_sum(sum);
  }
  MPI_Request_free(&request);
}

/* As often as a program that waits in each of its calls needs. */
static void nonblocking(void) {
  enum { enough = 16 };
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < enough + 3; ++i) {
    const int one = 1;
    int sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_sum(sum);
    if (i + 1 == enough) MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CHECK(argc == 2);
  strcmp(argv[1], "persistent") == 0 ? persistent() : nonblocking();
  return check_end();
}
