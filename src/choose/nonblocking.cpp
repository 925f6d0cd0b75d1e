// SPDX-License-Identifier: Apache-2.0
#include "choose/nonblocking.hpp"

#include <algorithm>

#include "choose/model/cost.hpp"
#include "choose/model/least_time.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/neighbours.hpp"
#include "choose/model/shared_nodes_runs.hpp"

namespace roundelay::choose {

bool nonblocking_gains(const Facts& facts, const Choice& choice, const Machine& machine,
                       const std::function<std::vector<Candidate>()>& priced) {
  const double bytes_take = seconds_of_bytes(facts, machine);
  if (facts.one_node) {
    if (among_neighbours(facts.collective)) return in_memory_with_a_core_each(facts);
    const double startups = bytes_take / startup_of(facts, machine);
    const bool alike = exchanges(facts.collective) && startups >= startups_of_long_nonblocking;
    return in_memory(facts) && !alike && (!native_waits(facts, machine) || startups <= 1);
  }
  if (native_waits(facts, machine)) return false;
  if (among_neighbours(facts.collective)) return choice.algorithm->passes_on;
  if (bytes_take < startups_of_long_nonblocking * machine.alpha) return false;
  const std::vector<Candidate> all = priced();
  const auto its = std::ranges::find(all, choice.text(),
                                     [](const Candidate& one) { return one.choice->text(); });
  if (its == all.end()) return false;
  const bool to_everybody =
      facts_of(facts.collective).cut == Cut::by_sender && !rooted(facts.collective);
  if (machine.native_floods && to_everybody && knows_shared_nodes(facts)) {
    const double native =
        machine.beta * least_through_a_link(Collective::alltoall, static_cast<double>(facts.bytes),
                                            facts.topology->nodes);
    return its->seconds <= gain_of_nonblocking * native;
  }
  // One that was too much work to price may be as good.
  const auto is_beaten = [&](const Algorithm* algorithm) {
    if (!algorithm->common || !is_possible(Choice(*algorithm), facts)) {
      return true;
    }
    const auto found = std::ranges::find(
        all, algorithm, [](const Candidate& one) { return one.choice->algorithm; });
    return found != all.end() && its->seconds <= gain_of_nonblocking * found->seconds;
  };
  return std::ranges::all_of(algorithms_of(facts.collective, Groups::one), is_beaten);
}

}  // namespace roundelay::choose
