/* SPDX-License-Identifier: Apache-2.0 */
/* A type that a call which does not wait has used is deleted with MPI_Type_free, once that call is
 * complete, or with the next call that completes one. */
#include "support/check.h"

static int deleted;

static int count_deleted(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int key, data[4] = {0};
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_deleted, &key, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 20; ++i) {
    MPI_Datatype type;
    MPI_Request request;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_set_attr(type, key, NULL);
    MPI_Ibcast(data, 1, type, 0, MPI_COMM_WORLD, &request);
    const int early = i % 2 == 0;
    if (early) MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!early) MPI_Type_free(&type);
    CHECK(deleted == i + 1);
  }
  return check_end();
}
