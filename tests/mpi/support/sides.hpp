// SPDX-License-Identifier: Apache-2.0
// The arguments that only collectives on an intercommunicator have.
#pragma once

#include <mpi.h>

#include <array>

namespace test {

// What rank `own_rank` of group `own_group` passes as root, where that is rank `root` of `group`.
inline int root_argument(int own_group, int own_rank, int group, int root) {
  if (own_group != group) return root;
  return own_rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

// Where an MPI library wants an address, though it does not use it.
inline std::array<char, 80> unused;

}  // namespace test
