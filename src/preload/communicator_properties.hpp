// SPDX-License-Identifier: Apache-2.0
// What the ranks of a communicator agree on before its first collective runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "mpi/background_sharing.hpp"
#include "preload/configuration.hpp"
#include "preload/names.hpp"

namespace roundelay::preload {

// The same on all ranks of the communicator. Decisions depend on nothing else.
struct CommunicatorProperties {
  std::string native_because;  // not empty: every call is left to the MPI library, and why
  Facts shape;                 // of the communicator; what concerns a call is not filled in
  Machine machine;
  // The ranks share a node, but have not set up shared memory: that takes as long as hundreds of
  // short calls, and many communicators see only a few.
  bool sharing_waits = false;
  // Between nodes the ranks have not made a communicator of this library: that takes as long as
  // tens of short calls, or other threads may be making communicators. The ranks agree again after
  // a few calls; it is expected to be worth its time after so many.
  bool set_up_waits = false;
  std::uint64_t calls_until_set_up = 0;
  double seconds_of_search = 0;  // for what may be faster: the longest one so far
  bool may_use_device = false;   // some rank may use memory of a GPU
  bool makes_progress = false;   // the MPI library calls this one wherever it makes progress
  bool sees_starts = false;      // what starts and completes requests comes to this library
  bool sees_op_free = false;     // and what frees operations
};

// What this rank has spent in the calls of a communicator, all of which were native.
struct Spent {
  std::uint64_t ticks = 0;
  std::int64_t calls = 0;
};

// Collective over all ranks of the communicator (both groups of an intercommunicator); no rank may
// return, fail or go another way before it, whatever its arguments are. Gives the communicator its
// own() if anything but the MPI library's algorithms may run on it. Ends the program if what the
// user asked for is wrong on all ranks. Nothing in `spent`: it is the first agreement with
// these settings; else what this rank has spent in the communicator's calls.
[[nodiscard]] CommunicatorProperties agree_on_properties(Communicator& comm,
                                                         const Settings& settings,
                                                         std::optional<Spent> spent);

// The same on an intracommunicator in calls that do not wait, for ranks of one node that run no
// schedules yet. All ranks come here at the same call. Null where they cannot begin.
[[nodiscard]] std::unique_ptr<mpi::BackgroundSharing> begin_to_share(const Communicator& comm,
                                                                     const Settings& settings);
// From the call on with which all ranks share it.
[[nodiscard]] CommunicatorProperties properties_of_sharing(Communicator& comm,
                                                           mpi::BackgroundSharing& sharing);

// This process has searched for what may be faster. Agreements tell the other ranks.
void note_search(std::uint64_t nanoseconds) noexcept;

// Where sharing waits. Collective over all ranks of the communicator. Shares memory if every rank
// has spent more time in the communicator's calls than its last sharing took. Returns whether the
// properties have changed.
bool share_if_worth_it(Communicator& comm, CommunicatorProperties& properties,
                       std::uint64_t ticks_in_calls);

}  // namespace roundelay::preload
