// SPDX-License-Identifier: Apache-2.0
// Calls that the program makes once and starts again and again, found by their requests.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "mpi/persistent.hpp"
#include "preload/communicator_state.hpp"

namespace roundelay::preload {

class PersistentCall final : public mpi::PersistentCall {
 public:
  PersistentCall(CommunicatorState& on, Decision& by, std::int64_t of_bytes)
      : mpi::PersistentCall(on.comm, by.plan), state(on), decision(by), bytes(of_bytes) {}

  CommunicatorState& state;
  Decision& decision;
  std::int64_t bytes;      // of one run
  bool by_others = false;  // a function that is not intercepted may complete it
};

// Whether the functions by which the program starts, completes and frees requests are those of this
// library.
[[nodiscard]] bool sees_starts();

// What it runs, and its request for the program. Returns an MPI error code.
int make_persistent(std::unique_ptr<PersistentCall> call, mpi::Running running,
                    MPI_Request& request);

}  // namespace roundelay::preload
