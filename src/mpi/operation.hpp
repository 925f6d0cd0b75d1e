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

// Whether the MPI library has this operation for this type, as it says itself when it is asked.
// `alone` is a communicator of this library with one rank, on which errors return.
[[nodiscard]] bool accepts(MPI_Op op, MPI_Datatype type, MPI_Comm alone);

// The pair that was last accepted. That stays true when a handle is used again: predefined handles
// are not, and the user's own operations accept every type.
struct Accepted {
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

}  // namespace roundelay
