/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on the columns of a matrix. In a row of columns each element begins one number after
 * the one before it, so that it lies among the numbers of others: four of them are clear of each
 * other, a fifth would not be. */
#include "support/check.h"

enum { rows = 3, columns = 4, numbers = rows * columns };

static MPI_Datatype column, other_column;

static void make_types(void) {
  MPI_Datatype numbers_of_column;
  MPI_Type_vector(rows, 1, columns, MPI_UNSIGNED, &numbers_of_column);
  MPI_Type_create_resized(numbers_of_column, 0, sizeof(unsigned), &column);
  MPI_Type_create_resized(numbers_of_column, 0, sizeof(unsigned), &other_column);
  MPI_Type_commit(&column);
  MPI_Type_commit(&other_column);
  MPI_Type_free(&numbers_of_column);
}

/* Whether the order matters. */
static int ordered;

static unsigned two(unsigned lower, unsigned higher) {
  return (ordered ? 3 * lower : lower) + higher;
}

static void fold(void* in, void* inout, int* length, MPI_Datatype* type) {
  CHECK(*type == column || *type == other_column);
  for (int i = 0; i < *length; ++i) {
    for (int row = 0; row < rows; ++row) {
      unsigned* higher = (unsigned*)inout + i + row * columns;
      *higher = two(((unsigned*)in)[i + row * columns], *higher);
    }
  }
}

static unsigned given(int rank, int i) { return (unsigned)(100 * rank + i + 1); }

/* Is this what the ranks below `end` have made, in the columns that begin with `first`? */
static int is_folded(const unsigned* matrix, int first, int count, int end) {
  for (int i = 0; i < numbers; ++i) {
    if (i % columns < first || i % columns >= first + count) continue;
    unsigned expected = given(0, i);
    for (int rank = 1; rank < end; ++rank) expected = two(expected, given(rank, i));
    if (matrix[i] != expected) return 0;
  }
  return 1;
}

static void fill(unsigned* matrix, int rank) {
  for (int i = 0; i < numbers; ++i) matrix[i] = given(rank, i);
}

static void combine(MPI_Comm comm, MPI_Datatype type, MPI_Op op) {
  const int size = check_size(comm);
  const int rank = check_rank(comm);
  unsigned in[numbers], out[numbers];
  fill(in, rank);
  MPI_Allreduce(in, out, columns, type, op, comm);
  CHECK(is_folded(out, 0, columns, size));
  fill(out, rank);
  MPI_Allreduce(MPI_IN_PLACE, out, columns, type, op, comm);
  CHECK(is_folded(out, 0, columns, size));
#ifdef OPEN_MPI
  const int reduces = !ordered; /* its own reduce keeps such elements where they overlap */
#else
  const int reduces = 1;
#endif
  for (int root = 0; reduces && root < size; ++root) {
    MPI_Reduce(in, out, columns, type, op, root, comm);
    CHECK(rank != root || is_folded(out, 0, columns, size));
    fill(out, rank);
    MPI_Reduce(rank == root ? MPI_IN_PLACE : in, out, columns, type, op, root, comm);
    CHECK(rank != root || is_folded(out, 0, columns, size));
  }
  MPI_Scan(in, out, columns, type, op, comm);
  CHECK(is_folded(out, 0, columns, rank + 1));
  MPI_Exscan(in, out, columns, type, op, comm);
  CHECK(rank == 0 || is_folded(out, 0, columns, rank));

  /* One column has no gap for another one. */
  MPI_Allreduce(in, out, 1, type, op, comm);
  CHECK(is_folded(out, 0, 1, size));
  MPI_Request request;
  MPI_Iallreduce(in, out, columns, type, op, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(is_folded(out, 0, columns, size));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  make_types();
  for (ordered = 0; ordered < 2; ++ordered) {
    MPI_Op op;
    MPI_Op_create(fold, !ordered, &op);
    for (int again = 0; again < 20; ++again) {
      combine(MPI_COMM_WORLD, again % 2 ? column : other_column, op);
    }
    MPI_Op_free(&op);
  }
  MPI_Type_free(&column);
  MPI_Type_free(&other_column);
  return check_end();
}
