/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives among ranks of two worlds, of which one may be without the library:
 *   spawned          starts as many more ranks with the argument `child` and merges with them */
#include "support/check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int is_child = argc > 1;
  const int ranks = check_size(MPI_COMM_WORLD);
  MPI_Comm others, all;
  if (is_child) {
    MPI_Comm_get_parent(&others);
  } else {
    char* arguments[] = {"child", NULL};
    MPI_Comm_spawn(argv[0], arguments, ranks, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  }
  MPI_Intercomm_merge(others, is_child, &all);
  CHECK(check_size(all) == 2 * ranks);
  check_collectives(all, 7);
  check_collectives(MPI_COMM_WORLD, 7);
  int mine = 1, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, others);
  CHECK(sum == ranks);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&others);
  if (!is_child) return check_end();
  MPI_Finalize();
  return check_failures > 0;
}
