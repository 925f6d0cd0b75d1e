// SPDX-License-Identifier: Apache-2.0
#include "choose/model/neighbours.hpp"

#include <memory>

#include "choose/model/cost.hpp"
#include "choose/model/fewer_messages.hpp"
#include "choose/model/irregular_exchanges.hpp"
#include "choose/model/possible.hpp"

namespace roundelay::choose {

bool in_memory_with_a_core_each(const Facts& facts) {
  return in_memory(facts) && !facts.oversubscribed;
}

namespace {

// Why a rank should exchange with all neighbours on its node at once, though the MPI library does
// the same; null: it should not. With a core for each rank, messages through memory took 0.1 to
// 1.07 of the library's time (docs/explanation/neighbourhood.md). Where ranks share cores, how well
// it gives its own up matters more.
const char* why_all_at_once(const Facts& facts, const Machine& machine) {
  if (!facts.one_node) return nullptr;
  if (native_waits(facts, machine)) return "model: the MPI library keeps cores while it waits";
  return in_memory_with_a_core_each(facts) ? "model: the same messages, through memory" : nullptr;
}

}  // namespace

Verdict over_graph(const Facts& facts, const Machine& machine) {
  if (const char* const reason = why_all_at_once(facts, machine); reason != nullptr) {
    return {std::make_shared<const Choice>(*first_common(facts.collective, Groups::one)), reason};
  }
  const bool sites = facts.topology != nullptr && facts.topology->sites.count() > 1;
  if (sites || !may_have_fewer_messages(facts)) {
    return leave_native(facts.collective, "model: the MPI library does the same");
  }
  if (facts.bytes == 0) return length_is_missing(facts);
  return fewer_messages_among_neighbours(facts, machine, node_links_of(facts, machine),
                                         network_of(facts, machine));
}

}  // namespace roundelay::choose
