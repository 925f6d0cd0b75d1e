/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions by an operation that is not commutative, on elements that must stay whole. */
#include "support/check.h"

enum { items = 5 };
typedef unsigned Map[2];

/* x -> a x + b, the lower rank's map applied last. */
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  Map* lower = in;
  Map* higher = inout;
  for (int i = 0; i < *length; ++i) {
    higher[i][1] = lower[i][0] * higher[i][1] + lower[i][1];
    higher[i][0] = lower[i][0] * higher[i][0];
  }
}

static void contribution(unsigned rank, unsigned i, Map map) {
  map[0] = rank + i + 2;
  map[1] = 3 * rank + i + 5;
}

/* Are these the composed maps number `first` .. of the ranks below `end`? */
static int are(Map* maps, int count, unsigned first, unsigned end) {
  for (unsigned i = 0; i < (unsigned)count; ++i) {
    Map expected = {1, 0}, next;
    int length = 1;
    for (unsigned r = end; r-- > 0;) {
      contribution(r, first + i, next);
      compose(next, expected, &length, NULL);
    }
    if (memcmp(maps[i], expected, sizeof expected) != 0) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int size = check_size(comm);
  const int rank = check_rank(comm);
  const unsigned all = (unsigned)size, upto = (unsigned)rank + 1;
  Map mine[64 * items], result[items];
  int counts[64];
  MPI_Datatype map;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_UNSIGNED, &map);
  MPI_Type_commit(&map);
  MPI_Op_create(compose, 0, &op);
  check_fill(counts, size, items, 0);
  for (int i = 0; i < size * items; ++i) contribution((unsigned)rank, (unsigned)i, mine[i]);
  MPI_Allreduce(mine, result, items, map, op, comm);
  CHECK(are(result, items, 0, all));
  for (int root = 0; root < size; ++root) {
    MPI_Reduce(mine, result, items, map, op, root, comm);
    CHECK(rank != root || are(result, items, 0, all));
  }
  MPI_Scan(mine, result, items, map, op, comm);
  CHECK(are(result, items, 0, upto));
  MPI_Exscan(mine, result, items, map, op, comm);
  CHECK(rank == 0 || are(result, items, 0, upto - 1));
  MPI_Reduce_scatter(mine, result, counts, map, op, comm);
  CHECK(are(result, items, items * (unsigned)rank, all));
  MPI_Reduce_scatter_block(mine, result, items, map, op, comm);
  CHECK(are(result, items, items * (unsigned)rank, all));
  MPI_Op_free(&op);
  MPI_Type_free(&map);
  return check_end();
}
