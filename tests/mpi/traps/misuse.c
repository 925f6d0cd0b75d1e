/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse of MPI_IN_PLACE, of NULL and of types that were not committed: prints the class of the
 * error, to be compared with what the same program prints without the library. */
#include "support/check.h"

static void tell(const char* what, int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  printf("%s: %s\n", what, class == MPI_SUCCESS ? "SUCCESS" : "error");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD,
                          MPI_ERRORS_RETURN); /* where Open MPI raises some of them */
  const int size = check_size(comm), rank = check_rank(comm);
  CHECK(rank < size);
  int in[64] = {0}, out[64] = {0};
  MPI_Datatype raw;
  MPI_Type_vector(2, 1, 2, MPI_INT, &raw);
  tell("bcast raw type", MPI_Bcast(in, 1, raw, 0, comm));
  tell("allgather raw type", MPI_Allgather(in, 1, raw, out, 1, raw, comm));
  tell("allreduce raw type", MPI_Allreduce(in, out, 1, raw, MPI_SUM, comm));
  tell("allreduce into in place", MPI_Allreduce(in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm));
  int counts[64], places[64];
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i;
  if (rank == 0) { /* the others would wait for it */
    tell("gatherv into in place",
         MPI_Gatherv(in, 1, MPI_INT, MPI_IN_PLACE, counts, places, MPI_INT, 0, comm));
    tell("scatterv from in place",
         MPI_Scatterv(MPI_IN_PLACE, counts, places, MPI_INT, out, 1, MPI_INT, 0, comm));
#ifndef OMPI_MAJOR_VERSION /* Open MPI ends with a signal */
    tell("gatherv into NULL", MPI_Gatherv(in, 1, MPI_INT, NULL, counts, places, MPI_INT, 0, comm));
    tell("scatterv from NULL",
         MPI_Scatterv(NULL, counts, places, MPI_INT, out, 1, MPI_INT, 0, comm));
#endif
  }
#ifndef OMPI_MAJOR_VERSION /* Open MPI moves what it finds there */
  tell("alltoall of one buffer", MPI_Alltoall(in, 1, MPI_INT, in, 1, MPI_INT, comm));
#endif
#ifdef OMPI_MAJOR_VERSION /* MPICH reads from there */
  if (rank == size - 1 && size > 1) {
    tell("reduce in place at a leaf", MPI_Reduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, 0, comm));
  }
#endif
  MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, comm);
  MPI_Type_free(&raw);
  MPI_Comm_free(&comm);
  return check_end();
}
