/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks cannot agree that all have the communicator of the library: its allreduce fails. Calls
 * go on, and the program's error handler hears nothing of it. */
#include "support/check.h"

static int failed, handled;

static void note(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++handled;
}

/* The library, which is loaded before that of MPI, finds this one. */
int PMPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  if (count == 1 && type == MPI_INT && op == MPI_MIN) {
    ++failed;
    PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
  }
  MPI_Request request;
  const int error = PMPI_Iallreduce(in, out, count, type, op, comm, &request);
  return error != MPI_SUCCESS ? error : PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  int value = check_rank(comm) == 0 ? 7 : 0;
  CHECK(MPI_Bcast(&value, 1, MPI_INT, 0, comm) == MPI_SUCCESS);
  CHECK(value == 7);
  CHECK(failed == 1);
  CHECK(handled == 0);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  return check_end();
}
