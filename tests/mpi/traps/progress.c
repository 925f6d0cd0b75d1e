/* SPDX-License-Identifier: Apache-2.0 */
/* A call that is pending goes on in whatever function of MPI the program waits: progress WHERE. */
#include "support/check.h"

/* More than two ranks' buffers hold, so that a rank that does nothing stops the others. */
enum { units = 1 << 18, go_ahead = 7 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* where = argc > 1 ? argv[1] : "recv";
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  int* in = malloc(units * sizeof *in);
  int* out = malloc(units * sizeof *out);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < 3; ++round) {
    check_fill(in, units, round + rank, 1);
    memset(out, 0, units * sizeof *out);
    MPI_Request request, message = MPI_REQUEST_NULL;
    MPI_Iallreduce(in, out, units, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    int word = -1;
    if (rank == 0 && size > 1) {
      /* Answered only when another rank's is over, which needs this one's part. */
      if (!strcmp(where, "recv")) {
        MPI_Recv(&word, 1, MPI_INT, 1, go_ahead, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (!strcmp(where, "wait")) {
        MPI_Irecv(&word, 1, MPI_INT, 1, go_ahead, MPI_COMM_WORLD, &message);
        MPI_Wait(&message, MPI_STATUS_IGNORE);
      } else if (!strcmp(where, "probe")) {
        MPI_Probe(1, go_ahead, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&word, 1, MPI_INT, 1, go_ahead, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (!strcmp(where, "iprobe")) {
        for (int found = 0; !found;) {
          MPI_Iprobe(1, go_ahead, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        }
        MPI_Recv(&word, 1, MPI_INT, 1, go_ahead, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (!strcmp(where, "ssend")) {
        MPI_Ssend(&round, 1, MPI_INT, 1, go_ahead, MPI_COMM_WORLD);
        word = round;
      } else if (!strcmp(where, "other")) {
        MPI_Barrier(other);
        word = round;
      } else {
        MPI_Barrier(MPI_COMM_WORLD);
        word = round;
      }
      CHECK(word == round);
    } else {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (!strcmp(where, "other")) {
        MPI_Barrier(other);
      } else if (!strcmp(where, "same")) {
        MPI_Barrier(MPI_COMM_WORLD);
      } else if (rank == 1 && !strcmp(where, "ssend")) {
        MPI_Recv(&word, 1, MPI_INT, 0, go_ahead, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        MPI_Send(&round, 1, MPI_INT, 0, go_ahead, MPI_COMM_WORLD);
      }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK(check_run(out, units, size * round + size * (size - 1) / 2, size));
  }
  MPI_Comm_free(&other);
  free(in);
  free(out);
  return check_end();
}
