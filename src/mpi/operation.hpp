// SPDX-License-Identifier: Apache-2.0
// What has to be known of an MPI operation.
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

// Whether the MPI library has this operation for this type, as it says itself when it is asked once
// for each pair. `alone` is a communicator of this library with one rank, on which errors return.
[[nodiscard]] bool accepts(MPI_Op op, MPI_Datatype type, MPI_Comm alone);

}  // namespace roundelay
