// SPDX-License-Identifier: Apache-2.0
#include "choose/model/irregular_exchanges.hpp"

#include "choose/model/cost.hpp"
#include "choose/model/critical_paths.hpp"
#include "choose/model/fewer_messages.hpp"
#include "choose/model/margins.hpp"

namespace roundelay::choose {

namespace {

// Exchanges of blocks of any lengths between nodes of one site.
bool may_have_fewer_startups(const Facts& facts) {
  return !facts.one_node && exchanges(facts.collective) && irregular(facts.collective) &&
         facts.bytes != 0 && (facts.topology == nullptr || facts.topology->sites.count() <= 1);
}

}  // namespace

Verdict length_is_missing(const Facts& facts) {
  Verdict left = leave_native(facts.collective, "model: the ranks do not share the length");
  left.length_is_missing = true;
  return left;
}

Priced fewer_startups(const Facts& facts, const Machine& machine, const Priced& others) {
  if (!may_have_fewer_startups(facts)) return {};
  Priced best = cheapest_by_critical_path(facts, machine, Preparation::tell_lengths).of_all;
  if (best.cost.seconds >= gain_of_passing_on * others.cost.seconds) return {};
  return best;
}

Verdict where_native_scatters(const Facts& facts, const Machine& machine) {
  Verdict native = leave_native(facts.collective, "model: native scatters");
  Facts shortest = facts;
  if (facts.bytes == 0) shortest.bytes = facts.ranks;
  if (!may_have_fewer_startups(shortest)) return native;
  Verdict verdict = native;
  if (facts.nodes < facts.ranks) {
    verdict = fewer_startups_on_shared_nodes(shortest, machine, node_links_of(shortest, machine),
                                             network_of(shortest, machine));
  } else {
    const Cheapest others = cheapest_by_critical_path(shortest, machine, Preparation::none);
    const Priced best = fewer_startups(shortest, machine, others.of_all);
    if (best.choice != nullptr) verdict = {best.choice, by_fewer_startups};
  }
  if (verdict.choice->algorithm->native()) return native;
  return facts.bytes == 0 ? length_is_missing(facts) : verdict;
}

}  // namespace roundelay::choose
