// SPDX-License-Identifier: Apache-2.0
// What is kept and said of every call.
#pragma once

#include <cstdint>

#include "preload/communicator_state.hpp"

namespace roundelay::preload {

// Set while the library starts: whether rank 0 of the world writes a line a call.
extern bool tracing;
// The calling thread's last call.
extern constinit thread_local const Outcome* last_outcome;

void write_trace(const CommunicatorState& state, const Decision& decision, std::int64_t bytes);

[[gnu::always_inline]] inline void note(const CommunicatorState& state, Decision& decision,
                                        std::int64_t bytes) {
  decision.tally.add(static_cast<std::uint64_t>(bytes));
  last_outcome = decision.outcome;
  if (tracing) [[unlikely]]
    write_trace(state, decision, bytes);
}

}  // namespace roundelay::preload
