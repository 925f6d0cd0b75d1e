/* SPDX-License-Identifier: Apache-2.0 */
/* What a tool may hide from the library: requests that are completed, and an operation that is
 * freed while a call needs it. */
#include "support/check.h"
#include "support/persistent.h"

enum { times = 20, count = 5000 };

static void add(void* in, void* out, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)out)[i] += ((int*)in)[i];
}

static void spoil(void* in, void* out, int* length, MPI_Datatype* type) {
  (void)in;
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)out)[i] = -1;
}

/* The second operation may get the handle of the first. */
static void freed_operation(MPI_Comm comm) {
  static int in[count], out[count];
  const int size = check_size(comm);
  MPI_Op op, other;
  MPI_Request request;
  for (int i = 0; i < count; ++i) in[i] = i;
  MPI_Op_create(add, 1, &op);
  MPI_Iallreduce(in, out, count, MPI_INT, op, comm, &request);
  MPI_Op_free(&op);
  MPI_Op_create(spoil, 1, &other);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Op_free(&other);
  for (int i = 0; i < count; ++i) CHECK(out[i] == size * i);
}

/* A request that was completed is inactive. */
static void completed(MPI_Comm comm, MPI_Request requests[2], int together) {
  int index = 0;
  MPI_Startall(2, requests);
  if (together) {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  CHECK(index == MPI_UNDEFINED);
  MPI_Barrier(comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Request requests[2];
  int in = 1, out = 0;
  MPI_Barrier(comm);
  for (int i = 0; i < times; ++i) freed_operation(comm);
  MPI_Barrier_init(comm, MPI_INFO_NULL, &requests[0]);
  MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < times; ++i) completed(comm, requests, i % 2);
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  return check_end();
}
