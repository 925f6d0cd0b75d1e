/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on messages of one length whose counts, displacements and roots change between calls, in
 * the same arrays, and come again. */
#include "support/check.h"

enum { most_ranks = 8, most = 6, gap = 1, room = most_ranks * (most + gap) };

static int size, rank, root;
static int counts[most_ranks], places[most_ranks];

/* The same total for each kind; some blocks are empty. */
static void cut(int kind) {
  int place = 0;
  for (int r = 0; r < size; ++r) {
    const int turned = (r + kind) % size;
    counts[r] = turned == 0 ? most : turned == 1 ? 0 : 2;
    places[r] = place;
    place += counts[r] + (kind % 2 == 0 ? gap : 0);
  }
}

static int first_of(int from, int to) { return 1000 * from + 100 * to; }

static void gather(int to_all) {
  int sent[most], received[room];
  check_fill(sent, counts[rank], first_of(rank, 0), 1);
  check_fill(received, room, -1, 0);
  if (to_all) {
    MPI_Allgatherv(sent, counts[rank], MPI_INT, received, counts, places, MPI_INT, MPI_COMM_WORLD);
  } else {
    MPI_Gatherv(sent, counts[rank], MPI_INT, received, counts, places, MPI_INT, root,
                MPI_COMM_WORLD);
  }
  if (!to_all && rank != root) return;
  for (int r = 0; r < size; ++r) {
    CHECK(check_run(received + places[r], counts[r], first_of(r, 0), 1));
    const int end = places[r] + counts[r];
    if (r + 1 < size && places[r + 1] > end) CHECK(received[end] == -1);
  }
}

static void scatter(void) {
  int sent[room], received[most + 1];
  for (int r = 0; r < size; ++r) check_fill(sent + places[r], counts[r], first_of(root, r), 1);
  check_fill(received, most + 1, -1, 0);
  MPI_Scatterv(sent, counts, places, MPI_INT, received, counts[rank], MPI_INT, root,
               MPI_COMM_WORLD);
  CHECK(check_run(received, counts[rank], first_of(root, rank), 1));
  CHECK(received[counts[rank]] == -1);
}

/* Rank r sends counts[(r + i) % size] to rank i, and so receives as much from it. */
static void exchange(void) {
  int sent[room], received[room], turned[most_ranks], at[most_ranks];
  int place = 0;
  for (int r = 0; r < size; ++r) {
    turned[r] = counts[(rank + r) % size];
    at[r] = place;
    place += turned[r];
    check_fill(sent + at[r], turned[r], first_of(rank, r), 1);
  }
  check_fill(received, room, -1, 0);
  MPI_Alltoallv(sent, turned, at, MPI_INT, received, turned, at, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) {
    CHECK(check_run(received + at[r], turned[r], first_of(r, rank), 1));
  }
  CHECK(received[place] == -1);
}

int main(int argc, char** argv) {
  static const int order[] = {0, 0, 1, 0, 1, 2, 2, 3, 0, 3, 4, 5, 4, 5, 1};
  MPI_Init(&argc, &argv);
  size = check_size(MPI_COMM_WORLD);
  rank = check_rank(MPI_COMM_WORLD);
  CHECK(size > 1 && size <= most_ranks);
  for (int call = 0; call < (int)(sizeof order / sizeof *order); ++call) {
    cut(order[call]);
    root = call / 2 % size;
    gather(0);
    gather(1);
    scatter();
    exchange();
  }
  return check_end();
}
