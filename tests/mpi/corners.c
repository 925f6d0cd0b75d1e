/* SPDX-License-Identifier: Apache-2.0 */
/* A persistent stencil with corners: the ranks, a square of them, are a torus of two dimensions,
 * and each exchanges with the eight around it. corners BYTES: of so long blocks. The call that
 * makes the request is the first collective on its communicator, of which there are two in turn. */
#include "support/check.h"
#include "support/persistent.h"

enum { around = 9, neighbours = around - 1, most_bytes = 1 << 16, starts = 5 };

static unsigned char value(int from, int to, int step) {
  return (unsigned char)(31 * from + 7 * to + step);
}

static void exchange(int bytes) {
  const int rank = check_rank(MPI_COMM_WORLD);
  const int ranks = check_size(MPI_COMM_WORLD);
  int length = 1;
  while (length * length < ranks) ++length;
  CHECK(length * length == ranks);
  const int weights[neighbours] = {0};
  int to[neighbours], from[neighbours], count = 0;
  for (int i = 0; i < around; ++i) {
    const int down = i / 3 - 1, right = i % 3 - 1;
    if (down == 0 && right == 0) continue;
    const int row = rank / length, column = rank % length;
    to[count] = (row + down + length) % length * length + (column + right + length) % length;
    from[count++] = (row - down + length) % length * length + (column - right + length) % length;
  }
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, neighbours, from, weights, neighbours, to, weights,
                                 MPI_INFO_NULL, 0, &comm);
  static unsigned char sent[neighbours * most_bytes], received[neighbours * most_bytes];
  MPI_Request request;
  MPI_Neighbor_alltoall_init(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, comm, MPI_INFO_NULL,
                             &request);
  for (int step = 0; step < starts; ++step) {
    for (int i = 0; i < neighbours; ++i) {
      memset(sent + i * bytes, value(rank, to[i], step), (size_t)bytes);
    }
    memset(received, 0, sizeof received);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < neighbours * bytes; ++i) {
      CHECK(received[i] == value(from[i / bytes], rank, step));
    }
  }
  MPI_Request_free(&request);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bytes = argc > 1 ? atoi(argv[1]) : 8;
  CHECK(bytes > 0 && bytes <= most_bytes);
  for (int turn = 0; turn < 2; ++turn) exchange(bytes);
  return check_end();
}
