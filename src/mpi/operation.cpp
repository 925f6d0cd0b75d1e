// SPDX-License-Identifier: Apache-2.0
#include "mpi/operation.hpp"

#include <array>
#include <cstddef>
#include <functional>

namespace roundelay {

bool accepts(MPI_Op op, MPI_Datatype type, MPI_Comm alone) {
  struct Pair {
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
  };
  // Only what is accepted is kept. That stays true when a handle is used again: predefined handles
  // are not, and the user's own operations accept every type.
  static thread_local std::array<Pair, 64> accepted;
  const std::size_t hash = std::hash<MPI_Op>()(op) ^ (std::hash<MPI_Datatype>()(type) >> 5U);
  Pair& known = accepted[(hash ^ (hash >> 8U)) % accepted.size()];
  if (known.op == op && known.type == type) [[likely]] return true;
  std::array<char, 1> in{};
  std::array<char, 1> out{};
  if (PMPI_Allreduce(in.data(), out.data(), 0, type, op, alone) != MPI_SUCCESS) return false;
  known = {op, type};
  return true;
}

}  // namespace roundelay
