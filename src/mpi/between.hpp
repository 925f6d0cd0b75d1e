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

// Work to be awaited: a call in one direction; `sends`: this rank's group does.
struct OneWay {
  Call& call;
  Communicator& comm;
  bool sends;
  std::int64_t m;  // the length of the whole message in units

  [[nodiscard]] Executor& executor() const { return call.executor(); }
  [[nodiscard]] int start() const;
  [[nodiscard]] int run() const { return executor().finish_after(start()); }
};

// Work to be awaited: a call that sends to the other group and one that receives from it, both with
// their blocks: two schedules at once, on the executor of the first.
struct BothWays {
  Call& to;
  Call& from;
  Communicator& comm;
  std::int64_t m_to;  // lengths of the whole messages in units
  std::int64_t m_from;

  [[nodiscard]] Executor& executor() const { return to.executor(); }
  [[nodiscard]] int start() const;
  [[nodiscard]] int run() const { return executor().finish_after(start()); }
};

}  // namespace roundelay::mpi
