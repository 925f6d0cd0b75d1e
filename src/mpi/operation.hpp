// SPDX-License-Identifier: Apache-2.0
// What has to be known of an MPI operation.
#pragma once

#include <mpi.h>

#include "algorithms/operation_kind.hpp"

namespace roundelay::mpi {

[[nodiscard]] OperationKind rarer_kind_of(MPI_Op op);
[[nodiscard]] inline OperationKind kind_of(MPI_Op op) {
  if (op == MPI_SUM || op == MPI_MAX || op == MPI_MIN) [[likely]]
    return {};
  return rarer_kind_of(op);
}

// Whether the MPI library has this operation for this type, as it says itself when it is asked.
[[nodiscard]] bool accepts(MPI_Op op, MPI_Datatype type);

// The pair that was last accepted. That stays true when a handle is used again: predefined handles
// are not, and the user's own operations accept every type.
struct Accepted {
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

}  // namespace roundelay::mpi
