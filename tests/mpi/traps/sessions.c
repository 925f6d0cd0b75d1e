/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator of a session, before MPI_Init, until MPI_Finalize and after it. */
#include "support/check.h"

/* Open MPI has sessions from version 5 on, and says that it is MPI 3.1. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

enum { units = 2000, times = 20 };

static void start(MPI_Comm comm, int first) {
  const int size = check_size(comm);
  int in[units], out[units];
  for (int i = 0; i < times; ++i) {
    MPI_Request request;
    check_fill(in, units, first + i, 1);
    memset(out, 0, sizeof out);
    MPI_Iallreduce(in, out, units, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(check_run(out, units, size * (first + i), size));
  }
}

static void check_all(MPI_Comm comm) {
  for (int i = 0; i < times; ++i) check_collectives(comm, 7);
  check_collectives(comm, units);
  start(comm, 3);
}

static void again(MPI_Request* request, int* in, const int* out, int size, int first) {
  int index = 0;
  check_fill(in, units, first, 1);
  MPI_Start(request);
  if (first % 2 == 0) MPI_Wait(request, MPI_STATUS_IGNORE);
  if (first % 2 == 1) MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
  CHECK(index == 0 && check_run(out, units, size * first, size));
}

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, half;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  check_all(comm);

  MPI_Init(NULL, NULL);
  check_all(MPI_COMM_WORLD);
  check_all(comm);
  MPI_Comm_split(comm, rank % 2, rank, &half);
  check_all(half);
  MPI_Request request;
  int in[units], out[units];
  MPI_Allreduce_init(in, out, units, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  for (int i = 0; i < times; ++i) again(&request, in, out, size, i);
  MPI_Finalize();

  check_all(comm);
  check_all(half);
  for (int i = 0; i < times; ++i) again(&request, in, out, size, i);
  MPI_Request_free(&request);
  MPI_Comm_free(&half);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  if (rank == 0 && check_failures == 0) puts("finished");
  return check_failures > 0;
}

#else

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (check_rank(MPI_COMM_WORLD) == 0) puts("not provided");
  return check_end();
}

#endif
