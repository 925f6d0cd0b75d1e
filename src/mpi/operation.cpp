// SPDX-License-Identifier: Apache-2.0
#include "mpi/operation.hpp"

#include "mpi/self_communicator.hpp"

namespace roundelay::mpi {

OperationKind rarer_kind_of(MPI_Op op) {
  if (op == MPI_PROD || op == MPI_LAND || op == MPI_BAND || op == MPI_LOR || op == MPI_BOR ||
      op == MPI_LXOR || op == MPI_BXOR || op == MPI_MAXLOC || op == MPI_MINLOC) {
    return {};
  }
  if (op == MPI_Op{}) return {};  // none: it is not accepts()
  int commutative = 0;
  PMPI_Op_commutative(op, &commutative);
  return {commutative != 0, false};
}

bool accepts(MPI_Op op, MPI_Datatype type) {
  return SelfCommunicator::with([&](MPI_Comm comm) {
    char in = 0;
    char out = 0;
    return comm != MPI_COMM_NULL && PMPI_Allreduce(&in, &out, 0, type, op, comm) == MPI_SUCCESS;
  });
}

}  // namespace roundelay::mpi
