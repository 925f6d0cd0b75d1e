/* SPDX-License-Identifier: Apache-2.0 */
/* Types that are made in rarer ways: with large counts, where the MPI library has them, and of the
 * types that stand for Fortran's kinds, which nobody may free. */
#include "support/check.h"

static void send(MPI_Datatype type, int bytes) {
  char data[64];
  MPI_Type_commit(&type);
  memset(data, check_rank(MPI_COMM_WORLD) == 0 ? 7 : 0, sizeof data);
  MPI_Bcast(data, 1, type, 0, MPI_COMM_WORLD);
  CHECK(data[0] == 7);
  CHECK(data[bytes - 1] == 7);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype type, kind;
#if MPI_VERSION >= 4
  const MPI_Count lengths[2] = {3, 5}, places[2] = {0, 8};
  const MPI_Datatype parts[2] = {MPI_CHAR, MPI_CHAR};
  MPI_Type_contiguous_c(10, MPI_CHAR, &type);
  send(type, 10);
  MPI_Type_vector_c(3, 2, 4, MPI_CHAR, &type);
  send(type, 10);
  MPI_Type_create_struct_c(2, lengths, places, parts, &type);
  send(type, 13);
#endif
  for (int i = 0; i < 3; ++i) {
    MPI_Type_create_f90_real(15, MPI_UNDEFINED, &kind);
    MPI_Type_contiguous(2, kind, &type);
    send(type, 16);
    MPI_Type_dup(kind, &type);
    send(type, 8);
    MPI_Type_create_f90_integer(9, &kind);
    MPI_Type_contiguous(3, kind, &type);
    send(type, 12);
  }
  return check_end();
}
