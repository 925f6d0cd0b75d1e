// SPDX-License-Identifier: Apache-2.0
// The two directions of an intercommunicator.
#pragma once

#include <cstdint>

#include "mpi/call.hpp"

namespace roundelay::mpi {

// This rank's own group.
[[nodiscard]] Subgroup local_group(Communicator& comm);

// The root of a rooted collective among the ranks of both groups as a direction wants them, the
// senders first: `root` is MPI_ROOT, or a rank of the other group.
[[nodiscard]] int sending_root(Communicator& comm, int root);
[[nodiscard]] int receiving_root(Communicator& comm, int root);

// A call in one direction; `sends`: this rank's group does. Lengths as for Call::run.
int run_one_way(Call& call, Communicator& comm, bool sends, std::int64_t m,
                std::int64_t longest = -1);

// A call that sends to the other group and one that receives from it, both with their blocks: two
// schedules at once.
struct BothWays {
  Call& to;
  Call& from;
  Communicator& comm;

  // Lengths of the whole messages and of their longest blocks.
  int run(std::int64_t m_to, std::int64_t longest_to, std::int64_t m_from,
          std::int64_t longest_from);
};

}  // namespace roundelay::mpi
