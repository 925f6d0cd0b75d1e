// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace roundelay {

// Whether operands may be exchanged.
[[nodiscard]] inline bool is_commutative(MPI_Op op) {
  if (op == MPI_SUM || op == MPI_MAX || op == MPI_MIN) return true;  // most calls
  int commutative = 0;
  PMPI_Op_commutative(op, &commutative);
  return commutative != 0;
}

}  // namespace roundelay
