/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators that are freed after so many calls that their ranks may just be learning, while
 * the last rank waits for the others in a call of the MPI library, and these wait for the last one
 * only after they have freed theirs. */
#include "support/check.h"

enum { elements = 1 << 16, fewest = 150, most = 330 };
static int in[elements], out[elements];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int is_last = check_rank(MPI_COMM_WORLD) == check_size(MPI_COMM_WORLD) - 1;
  for (int calls = fewest; calls < most; calls += 3) {
    MPI_Comm comm;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < calls; ++i) MPI_Allreduce(in, out, elements, MPI_INT, MPI_SUM, comm);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (is_last) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    if (!is_last) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return check_end();
}
