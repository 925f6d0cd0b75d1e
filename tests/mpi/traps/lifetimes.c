/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators die in any order, in great number, some only with the program. */
#include "support/check.h"

static int deleted;

static int on_delete(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int cycles = argc > 1 ? atoi(argv[1]) : 3000;
  const int rank = check_rank(MPI_COMM_WORLD);
  MPI_Comm a, b, c, halves, null = MPI_COMM_NULL;

  check_collectives(MPI_COMM_SELF, 3);
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  check_collectives(a, 3);
  MPI_Comm_dup(a, &b); /* of one that is in use already */
  MPI_Comm_free(&a);
  check_collectives(b, 3);
  MPI_Comm_dup(b, &c);
  MPI_Comm_split(c, rank % 2, -rank, &halves);
  check_collectives(c, 3);
  check_collectives(halves, 3);
  check_collectives(MPI_COMM_WORLD, 3);
  MPI_Comm_free(&c);
  check_collectives(halves, 5);
  check_collectives(b, 5);
  MPI_Comm_disconnect(&halves);
  CHECK(halves == null);

  /* The user's own attributes live and die as ever. */
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
  MPI_Comm_set_attr(b, keyval, &keyval);
  check_collectives(b, 2);
  MPI_Comm_free(&b);
  CHECK(deleted == 1);
  MPI_Comm_free_keyval(&keyval);

  /* An MPI has some 2000 communicators at a time: what is freed has to be freed wholly. */
  for (int i = 0; i < cycles; ++i) {
    int one = 1, sum = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, a);
    CHECK(sum == check_size(MPI_COMM_WORLD));
    MPI_Comm_free(&a);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &a); /* never freed */
  check_collectives(a, 3);
  check_collectives(MPI_COMM_SELF, 3);
  return check_end();
}
