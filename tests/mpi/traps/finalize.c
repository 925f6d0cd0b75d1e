/* SPDX-License-Identifier: Apache-2.0 */
/* What hangs on MPI_COMM_SELF is deleted first in MPI_Finalize, and may still communicate. */
#include "support/check.h"

static int on_delete(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)extra;
  check_collectives(MPI_COMM_WORLD, 4);
  if (check_rank(MPI_COMM_WORLD) == 0) printf("deleted %s\n", (const char*)value);
  if (check_failures > 0) exit(1);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int early, late;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &early, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, early, "early");
  check_collectives(MPI_COMM_WORLD, 4);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &late, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, late, "late");
  return check_end();
}
