/* SPDX-License-Identifier: Apache-2.0 */
/* freed_on_device RUNTIME CALLS: communicators that are freed after so many calls, in a process
 * with a runtime of GPUs, whose ranks tell each other now and then where they had such memory. */
#include <dlfcn.h>

#include "support/check.h"

enum { communicators = 100 };
static int deleted;

static int count_deleted(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  if (argc != 3 || dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) == NULL) return 2;
  MPI_Init(&argc, &argv);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deleted, &key, NULL);
  for (int i = 0; i < communicators; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, NULL);
    for (int call = atoi(argv[2]); call > 0; --call) {
      int one = 1, sum = 0;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
      CHECK(sum == check_size(comm));
    }
    MPI_Comm_free(&comm);
    CHECK(deleted == i + 1);
  }
  return check_end();
}
