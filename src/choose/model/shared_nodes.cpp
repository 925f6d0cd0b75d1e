// SPDX-License-Identifier: Apache-2.0
#include "choose/model/shared_nodes.hpp"

#include <algorithm>

#include "choose/model/cost.hpp"
#include "choose/model/fewer_messages.hpp"
#include "choose/model/least_time.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/run_limits.hpp"
#include "choose/model/shared_nodes_runs.hpp"
#include "choose/model/shared_nodes_search.hpp"

namespace roundelay::choose {

namespace {

using interpret::NodeLinks;

// Where every algorithm loads the busiest link alike, and the MPI library's own is as good as any:
// data goes to or from one rank, each byte once; or every rank sends all others blocks that are
// too short to hinder each other.
bool has_nothing_to_gain(const Facts& facts, const Machine& machine) {
  const bool blocks = facts_of(facts.collective).cut != Cut::nothing;
  return (rooted(facts.collective) && blocks) ||
         (exchanges(facts.collective) &&
          static_cast<double>(facts.bytes) < facts.ranks * machine.crossing);
}

// Whether ranks of the MPI library keep cores that other ranks need. What is not cut into blocks a
// library does in stages, within nodes through memory, where its ranks wait for each other without
// giving up their cores: with more ranks than cores MPICH takes 16 to 150 times as long for short
// calls (docs/results/measured.md). Blocks it sends as messages, and so it does an exclusive scan,
// which is as quick as ours.
bool keeps_cores(const Facts& facts, const Machine& machine) {
  return native_waits(facts, machine) && facts_of(facts.collective).cut == Cut::nothing &&
         facts.collective != Collective::exscan;
}

}  // namespace

Verdict on_shared_nodes(const Facts& facts, const Machine& machine, const NodeLinks& links,
                        const NetworkLengths& network) {
  const auto native = [&] { return leave_native(facts.collective, "model: shared nodes"); };
  // Where blocks are of other lengths, nobody knows what a link has to carry.
  if (facts.uneven()) return native();
  // There is nothing to compare with where the library is not known to be good.
  if (!machine.native_leads_when_short || keeps_cores(facts, machine)) {
    SharedNodesSearch search(facts, machine, links, network);
    search.run();
    const Candidate cheapest = search.best();
    return cheapest.choice != nullptr ? verdict_on(cheapest, "model: cheapest")
                                      : leave_native(facts.collective, too_many_to_price);
  }
  if (has_nothing_to_gain(facts, machine)) {
    return exchanges(facts.collective)
               ? fewer_startups_on_shared_nodes(facts, machine, links, network)
               : native();
  }
  const Partition& nodes = facts.topology->nodes;
  const double link = machine.beta * least_through_a_link(facts.collective,
                                                          static_cast<double>(facts.bytes), nodes);
  const double least = least_seconds(facts.collective, link, nodes.count(), links.startup);
  const double most = std::min(near_least_time * least, near_link_time * link);
  if (least > most) return native();
  SharedNodesSearch search(facts, machine, links, network, most);
  search.run();
  const Candidate best = search.best();
  if (best.choice == nullptr) {
    return search.gave_up() ? leave_native(facts.collective, too_many_to_price) : native();
  }
  // For exchanges this was decided above. The others are in pieces, each of which has a start-up.
  if (!exchanges(facts.collective) && search.starts_up_for_long(startups_of_short) &&
      search.native_may_do_as_well()) {
    return leave_native(facts.collective, "model: short");
  }
  return verdict_on(best, "model: near the limit of the links");
}

std::vector<Candidate> prices_on_shared_nodes(const Facts& facts, const Machine& machine,
                                              const NodeLinks& links,
                                              const NetworkLengths& network) {
  if (!knows_shared_nodes(facts) || facts.uneven()) return {};
  return SharedNodesSearch(facts, machine, links, network).all();
}

}  // namespace roundelay::choose
