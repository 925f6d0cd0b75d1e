/* SPDX-License-Identifier: Apache-2.0 */
/* The first neighbourhood collective, on a ring whose ranks may have several edges, while another
 * thread of rank 0 waits for the others in MPI_Comm_dup, which they call only afterwards. */
#include <pthread.h>
#include <unistd.h>

#include "support/threads.h"

static MPI_Comm made;

static void* make(void* nothing) {
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  return nothing;
}

int main(int argc, char** argv) {
  check_init_threads(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD), size = check_size(MPI_COMM_WORLD);
  const int periodic = 1;
  const int sent[2] = {10 * rank, 10 * rank + 1};
  int received[2] = {-1, -1};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Barrier(MPI_COMM_WORLD);
  pthread_t thread;
  if (rank == 0) {
    pthread_create(&thread, NULL, make, NULL);
    usleep(200000);
  }
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring);
  CHECK(received[0] / 10 == (rank + size - 1) % size);
  CHECK(received[1] / 10 == (rank + 1) % size);
  if (rank == 0) {
    for (int peer = 1; peer < size; ++peer) MPI_Send(NULL, 0, MPI_INT, peer, 0, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
  } else {
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    make(NULL);
  }
  MPI_Comm_free(&made);
  MPI_Comm_free(&ring);
  return check_end();
}
