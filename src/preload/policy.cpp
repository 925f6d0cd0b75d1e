// SPDX-License-Identifier: Apache-2.0
#include "preload/policy.hpp"

#include <span>
#include <utility>
#include <vector>

#include "choose/nonblocking.hpp"
#include "choose/profile.hpp"

namespace roundelay::preload {

namespace {

const std::string device_memory = "device memory";

}  // namespace

Facts Policy::complete(Facts call) const {
  const Facts& shape = properties_.shape;
  call.ranks = shape.ranks;
  call.inter = shape.inter;
  call.other_ranks = shape.other_ranks;
  call.one_node = shape.one_node;
  call.shares_memory = shape.shares_memory;
  call.oversubscribed = shape.oversubscribed;
  call.topology = shape.topology;
  call.nodes = shape.nodes;
  call.ranks_per_node = shape.ranks_per_node;
  return call;
}

Decision Policy::decide(const Facts& call) const {
  const bool on_device = on_device_[static_cast<std::size_t>(call.collective)];
  const std::string& because = on_device ? device_memory : properties_.native_because;
  Verdict verdict = because.empty()
                        ? choose::choose(complete(call), settings_.wishes, properties_.machine)
                        : choose::leave_native(call.collective, because);
  const Outcome* what =
      outcome(call.collective, verdict.choice != nullptr ? verdict.choice->text() : "nothing",
              verdict.reason);
  const bool may_learn = because.empty() && settings_.learns(verdict.source);
  std::optional<Facts> guessed_for;
  if (verdict.source == Verdict::Source::model) guessed_for = call;
  return {Plan(std::move(verdict.choice), verdict.network),
          what,
          {},
          {},
          verdict.length_is_missing,
          may_learn,
          guessed_for};
}

Decision Policy::decision(const Facts& call, std::shared_ptr<const Choice> choice,
                          const std::string& reason) const {
  const Outcome* what = outcome(call.collective, choice->text(), reason);
  const NetworkLengths network = choose::network_for(*choice, complete(call), properties_.machine);
  return {Plan(std::move(choice), network), what, {}, {}, false, false, call};
}

const char* Policy::leaves_later_native(const Communicator& comm) const {
  if (settings_.nonblocking == NonblockingCalls::off) return "ROUNDELAY_NONBLOCKING=off";
  if (!properties_.makes_progress) return "the MPI library makes no progress for others";
  if (properties_.may_use_device) return device_memory.c_str();
  return comm.put() != nullptr ? "ROUNDELAY_TRANSPORT=put" : nullptr;
}

Decision Policy::later(Form form, const Decision& blocking, const Communicator& comm) const {
  const Outcome& its = *blocking.outcome;
  if (blocking.plan.way != Plan::Way::schedule) {
    return left_native(form, its.collective, its.reason);
  }
  if (form == Form::persistent && !properties_.sees_starts) {
    return left_native(form, its.collective, "another library has MPI_Start or MPI_Wait");
  }
  // The program may free an operation that the call needs. Not all ranks know between groups
  // whether it is one of MPI's own.
  if (reduces(its.collective) && !properties_.sees_op_free) {
    return left_native(form, its.collective, "another library has MPI_Op_free");
  }
  if (const char* const reason = leaves_later_native(comm); reason != nullptr) {
    return left_native(form, its.collective, reason);
  }
  if (settings_.nonblocking == NonblockingCalls::automatic && blocking.guessed_for) {
    const Facts facts = complete(*blocking.guessed_for);
    if (!choose::nonblocking_gains(facts, *blocking.plan.choice, properties_.machine,
                                   [&] { return choose::prices(facts, properties_.machine); })) {
      return left_native(form, its.collective, "ROUNDELAY_NONBLOCKING=auto: little to gain");
    }
  }
  return {Plan(blocking.plan.choice, blocking.plan.network()),
          outcome(its.collective, its.algorithm, its.reason, form),
          {},
          {}};
}

Decision Policy::left_native(Form form, Collective collective, const std::string& reason) {
  Verdict verdict = choose::leave_native(collective, reason);
  const Outcome* what = outcome(collective, verdict.choice->text(), verdict.reason, form);
  return {Plan(std::move(verdict.choice)), what, {}, {}};
}

bool Policy::is_long(std::int64_t bytes) const noexcept {
  constexpr double startups = 16;
  const Machine& machine = properties_.machine;
  return static_cast<double>(bytes) * machine.beta >= startups * machine.alpha;
}

bool Policy::leave_on_device(std::span<const std::int64_t, collectives.size()> calls) {
  bool changes = false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    changes = changes || (calls[i] > 0 && !on_device_[i]);
    on_device_[i] = calls[i] > 0;
  }
  return changes;
}

Lengths Policy::alike(Collective collective, std::int64_t bytes) const {
  std::vector<std::int64_t> boundaries;
  if (settings_.wishes.profile != nullptr && properties_.native_because.empty()) {
    boundaries = settings_.wishes.profile->boundaries(collective, properties_.shape.ranks);
  }
  return choose::lengths_like(bytes, boundaries);
}

void Policy::observe(Decision& decision, bool is_rank_0) {
  if (decision.nonblocking != nullptr) observe(*decision.nonblocking, is_rank_0);
  if (decision.persistent != nullptr) observe(*decision.persistent, is_rank_0);
  if (decision.tally.calls == 0) return;
  settle(decision.outcome, std::exchange(decision.tally, {}), is_rank_0, decision.expected_seconds);
}

}  // namespace roundelay::preload
