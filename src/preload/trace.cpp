// SPDX-License-Identifier: Apache-2.0
#include "preload/trace.hpp"

#include <atomic>
#include <cinttypes>
#include <cstdio>

#include "preload/configuration.hpp"
#include "preload/places.hpp"

namespace roundelay::preload {

bool tracing = Configuration::trace_is_wanted();
constinit thread_local const Outcome* last_outcome = nullptr;

void write_trace(const CommunicatorState& state, const Decision& decision, std::int64_t bytes) {
  static const bool first_of_the_world = world_rank() == 0;
  if (!first_of_the_world) return;
  static std::atomic<std::uint64_t> calls{0};
  const Outcome& what = *decision.outcome;
  std::fprintf(stderr, "roundelay: %" PRIu64 " %s %" PRId64 " B, %d ranks: %s (%s)\n", ++calls,
               what.call().c_str(), bytes, state.comm.size(), what.algorithm.c_str(),
               what.reason.c_str());
}

}  // namespace roundelay::preload
