// SPDX-License-Identifier: Apache-2.0
#include "choose/model/model.hpp"

#include <utility>

#include "choose/model/between_groups.hpp"
#include "choose/model/between_sites.hpp"
#include "choose/model/cost.hpp"
#include "choose/model/critical_paths.hpp"
#include "choose/model/fewer_messages.hpp"
#include "choose/model/irregular_exchanges.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/memory_runs.hpp"
#include "choose/model/neighbours.hpp"
#include "choose/model/remembered.hpp"
#include "choose/model/run_limits.hpp"
#include "choose/model/shared_nodes.hpp"
#include "choose/model/shared_nodes_runs.hpp"
#include "choose/model/tie_break.hpp"

namespace roundelay::choose {

namespace {

// The share of start-ups beyond which a call is short.
double startups_of_short_call(const Facts& facts, const Machine& machine) {
  const bool floods = machine.native_floods && exchanges(facts.collective);
  return floods && !length_is_shared(facts) ? startups_of_short_flood : startups_of_short;
}

// Where every rank has a link of its own, or all share memory.
Verdict with_a_link_each(const Facts& facts, const Machine& machine) {
  const Cheapest found = cheapest_by_critical_path(facts, machine, Preparation::none);
  const Priced& best = found.of_all;
  if (const Priced fewer = fewer_startups(facts, machine, best); fewer.choice != nullptr) {
    return {fewer.choice, by_fewer_startups};
  }
  if (best.choice == nullptr)
    return leave_native(facts.collective, "no other algorithm is possible");
  if (machine.native_leads_when_short && !facts.one_node &&
      found.common.starts_up_for_long(startups_of_short_call(facts, machine)) &&
      found.common.cost.seconds <= about_equal * best.cost.seconds) {
    return leave_native(facts.collective, "model: short");
  }
  Verdict cheapest = break_ties(found, facts, machine);
  return in_memory(facts) ? with_blocks_exposed(std::move(cheapest), facts, machine) : cheapest;
}

}  // namespace

const char* leaves_all_native(const Facts& shape, const Machine& machine) {
  if (shape.one_node) {
    return (native_waits(shape, machine) || shape.shares_memory) && !shape.inter
               ? nullptr
               : "model: one node";
  }
  if (shape.nodes == 0) return "model: placement unknown";
  if (shape.nodes < shape.ranks && !knows_shared_nodes(shape)) return "model: shared nodes";
  return shape.ranks > most_ranks_priced ? too_many_to_price : nullptr;
}

namespace {

Verdict asked_anew(const Facts& facts, const Machine& machine) {
  if (const char* const reason = leaves_all_native(facts, machine); reason != nullptr) {
    return leave_native(facts.collective, reason);
  }
  if (among_neighbours(facts.collective)) return over_graph(facts, machine);
  if (facts.inter) return between_groups(facts, machine);
  if (machine.native_scatters && !facts.one_node && exchanges(facts.collective) &&
      irregular(facts.collective)) {
    return where_native_scatters(facts, machine);
  }
  if (facts.bytes == 0 && !length_is_shared(facts) && !facts.one_node) {
    return length_is_missing(facts);
  }
  if (!facts.one_node && facts.nodes < facts.ranks) {
    return on_shared_nodes(facts, machine, node_links_of(facts, machine),
                           network_of(facts, machine));
  }
  // The other algorithms know one kind of link. Over two kinds they were up to 18 times as slow
  // (docs/explanation/sites.md).
  if (facts.topology != nullptr && facts.topology->sites.count() > 1) {
    return exchanges(facts.collective) ? exchange_between_sites(facts, machine)
                                       : between_sites(facts, machine);
  }
  return with_a_link_each(facts, machine);
}

}  // namespace

Verdict by_model(const Facts& facts, const Machine& machine) {
  static auto* const remembered =
      new Remembered<Verdict>(512);  // never destroyed: collectives in atexit handlers
  return remembered->answer(facts, machine, asked_anew);
}

}  // namespace roundelay::choose
