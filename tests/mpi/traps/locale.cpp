// SPDX-License-Identifier: Apache-2.0
// A program whose numbers have a comma on its first rank, and a dot for each thousand.
#include <mpi.h>

#include <locale>
#include <string>

struct WithComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::locale::global(std::locale(std::locale::classic(), new WithComma));
  int data[2000] = {};
  for (int i = 0; i < 2000; ++i) MPI_Bcast(data, 2000, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
}
