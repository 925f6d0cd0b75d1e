// SPDX-License-Identifier: Apache-2.0
#include "preload/policy.hpp"

#include <span>
#include <utility>
#include <vector>

#include "choose/profile.hpp"

namespace roundelay::preload {

Decision Policy::decide(Facts call) const {
  const Facts& shape = terms_.shape;
  call.ranks = shape.ranks;
  call.inter = shape.inter;
  call.other_ranks = shape.other_ranks;
  call.one_node = shape.one_node;
  call.shares_memory = shape.shares_memory;
  call.oversubscribed = shape.oversubscribed;
  call.topology = shape.topology;
  call.nodes = shape.nodes;
  call.ranks_per_node = shape.ranks_per_node;
  Verdict verdict = terms_.native_because.empty()
                        ? choose::choose(call, settings_.wishes, terms_.machine)
                        : choose::leave_native(call.collective, terms_.native_because);
  const Outcome* what =
      outcome(call.collective, verdict.choice != nullptr ? verdict.choice->text() : "nothing",
              verdict.reason);
  return {
      Plan(std::move(verdict.choice), verdict.network), what, {}, {}, verdict.length_is_missing};
}

Lengths Policy::alike(Collective collective, std::int64_t bytes) const {
  std::vector<std::int64_t> boundaries;
  if (settings_.wishes.profile != nullptr && terms_.native_because.empty()) {
    boundaries = settings_.wishes.profile->boundaries(collective, terms_.shape.ranks);
  }
  return choose::lengths_like(bytes, boundaries);
}

void Policy::observe(Decision& decision, bool first) {
  if (decision.tally.calls == 0) return;
  settle(decision.outcome, std::exchange(decision.tally, {}), first);
}

}  // namespace roundelay::preload
