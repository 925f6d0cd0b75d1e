// SPDX-License-Identifier: Apache-2.0
// How the ranks of a communicator agree.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace roundelay::mpi {

// Each value becomes the least of all ranks. Collective. Returns whether it could be done.
template <std::size_t count>
[[nodiscard]] bool agree(std::array<std::uint64_t, count>& values, MPI_Comm comm) {
  return PMPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_UINT64_T, MPI_MIN, comm) ==
         MPI_SUCCESS;
}
// Each value becomes the least of the ranks of both groups. Collective over them.
template <std::size_t count>
void agree_between(std::array<std::uint64_t, count>& values, MPI_Comm inter) {
  for (int i = 0; i < 2; ++i) {  // what the others have, and what they heard
    std::array<std::uint64_t, count> theirs{};
    PMPI_Allreduce(values.data(), theirs.data(), count, MPI_UINT64_T, MPI_MIN, inter);
    std::ranges::transform(values, theirs, values.begin(),
                           [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
  }
}
// Whether it is so on all ranks; no if that could not be asked.
[[nodiscard]] inline bool all_agree(bool mine, MPI_Comm comm) {
  std::array<std::uint64_t, 1> value{mine ? 1U : 0U};
  return agree(value, comm) && value[0] != 0;
}

}  // namespace roundelay::mpi
