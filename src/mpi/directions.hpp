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

// Work to be awaited: a call in one direction; `sends`: this rank's group does. `m`: the length of
// the whole message in units. Schedules refer to its group.
class OneWay {
 public:
  OneWay(Call& call, Communicator& comm, bool sends, std::int64_t m);

  [[nodiscard]] Executor& executor() const { return call_.executor(); }
  [[nodiscard]] int start() const;
  [[nodiscard]] int run() const { return executor().finish_after(start()); }
  // Its schedule. Between two groups the same number for the same direction on all ranks.
  [[nodiscard]] ScheduledPart prepared(std::size_t direction) const;

 private:
  Call& call_;
  Subgroup group_;
  std::int64_t m_;
};

// Work to be awaited: a call that sends to the other group and one that receives from it, both with
// their blocks: two schedules at once. The calls have one executor.
class BothWays {
 public:
  BothWays(Call& to, Call& from, Communicator& comm, std::int64_t m_to, std::int64_t m_from);

  [[nodiscard]] Executor& executor() const { return call_.executor(); }
  [[nodiscard]] int start() const;
  [[nodiscard]] int run() const { return executor().finish_after(start()); }

 private:
  Call& call_;
  OneWay to_;
  OneWay from_;
  bool is_low_;
};

}  // namespace roundelay::mpi
