// SPDX-License-Identifier: Apache-2.0
// An error handler that throws, as those of C++ programs may: the program catches what it threw.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

namespace {

int heard = 0;

void hear(MPI_Comm* /*comm*/, int* /*error*/, ...) {
  ++heard;
  throw std::runtime_error("heard");
}

template <typename Call>
bool throws(const Call& call) {
  const int before = heard;
  try {
    call();
  } catch (const std::runtime_error&) {
    return heard == before + 1;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(hear, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  int rank = 0;
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Datatype never_committed;
  MPI_Type_vector(2, 1, 2, MPI_CHAR, &never_committed);
  const bool all = throws([&] { MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD); }) &&
                   throws([&] { MPI_Bcast(&value, 1, MPI_INT, 99, MPI_COMM_WORLD); }) &&
                   throws([&] { MPI_Bcast(&value, 1, never_committed, 0, MPI_COMM_WORLD); });
  MPI_Type_free(&never_committed);
  MPI_Errhandler_free(&handler);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0 && all) std::puts("finished");
  return all ? 0 : 1;
}
