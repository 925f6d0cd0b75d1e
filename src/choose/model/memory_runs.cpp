// SPDX-License-Identifier: Apache-2.0
#include "choose/model/memory_runs.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>

#include "choose/model/cost.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/possible.hpp"
#include "choose/model/run_limits.hpp"
#include "choose/model/shared_nodes_runs.hpp"

namespace roundelay::choose {

bool MemoryRuns::can_run(const Facts& facts) {
  return facts.ranks <= most_ranks_in_memory && !facts.uneven() && facts.bytes > 0;
}

MemoryRuns::MemoryRuns(const Facts& facts, const Machine& machine)
    : one_node_{.nodes = Partition::by(std::vector<int>(static_cast<std::size_t>(facts.ranks))),
                .sites = {}},
      facts_(facts),
      links_(node_links_of(facts, machine)),
      network_(network_of(facts, machine)) {
  facts_.topology = &one_node_;
  links_.near_startup = startup_of(facts, machine);
  links_.near_byte = machine.beta;
}

double MemoryRuns::seconds(const Choice& choice, double most) const {
  return seconds(choice, links_, most);
}

double MemoryRuns::seconds_of_copies(const Choice& choice, double most) const {
  interpret::NodeLinks copies = links_;
  copies.near_startup = 0;
  return seconds(choice, copies, most);
}

double MemoryRuns::seconds(const Choice& choice, const interpret::NodeLinks& by,
                           double most) const {
  interpret::RunBudget budget{most, most_transfers_in_memory};
  const auto traffic = run_on_shared_nodes(choice, facts_, 0, by, network_, budget);
  return traffic ? traffic->seconds : std::numeric_limits<double>::infinity();
}

Verdict with_blocks_exposed(Verdict verdict, const Facts& facts, const Machine& machine) {
  if (!MemoryRuns::can_run(facts)) return verdict;
  const MemoryRuns runs(facts, machine);
  double least = runs.seconds(*verdict.choice, std::numeric_limits<double>::infinity());
  if (std::isinf(least)) return verdict;
  least *= gain_of_exposed_blocks;
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
    if (algorithm->native() || algorithm->uses_topology()) continue;
    const Choice choice(*algorithm);
    if (!is_possible(choice, facts) || !exposes(choice, facts.ranks)) continue;
    const double its = runs.seconds(choice, least);
    if (its >= least || runs.seconds_of_copies(choice, least) < least_share_of_copies * its)
      continue;
    least = its;
    verdict = {std::make_shared<const Choice>(choice), "model: one copy for all readers"};
  }
  return verdict;
}

std::vector<Candidate> prices_in_memory(const Facts& facts, const Machine& machine) {
  std::vector<Candidate> priced;
  const MemoryRuns runs(facts, machine);
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
    if (!is_compared(*algorithm, facts)) continue;
    const Choice choice(*algorithm);
    const double seconds = runs.seconds(choice, std::numeric_limits<double>::infinity());
    if (!std::isinf(seconds)) priced.push_back({std::make_shared<const Choice>(choice), seconds});
  }
  return priced;
}

}  // namespace roundelay::choose
