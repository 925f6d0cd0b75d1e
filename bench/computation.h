// SPDX-License-Identifier: Apache-2.0
// What a program does between the start of a call and its end.
#pragma once

#include <mpi.h>

// So many dependent additions.
static volatile double computed;
static void compute(long additions) {
  double x = 1;
  for (long i = 0; i < additions; ++i) x = x * 0.5 + 1;
  computed = x;
}

// How many take a second on the slowest rank, while all compute. Collective over MPI_COMM_WORLD.
static double additions_in_a_second(void) {
  const long some = 20000000;
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  compute(some);
  double speed = (double)some / (MPI_Wtime() - start);
  PMPI_Allreduce(MPI_IN_PLACE, &speed, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return speed;
}
