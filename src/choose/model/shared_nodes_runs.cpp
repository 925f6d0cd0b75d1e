// SPDX-License-Identifier: Apache-2.0
#include "choose/model/shared_nodes_runs.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "choose/model/cost.hpp"
#include "choose/model/margins.hpp"

namespace roundelay::choose {

namespace {

using interpret::NodeLinks;
using interpret::RunBudget;

// Whether a link carries as much where nodes have fewer ranks.
bool may_stand_for_all(const Facts& facts) {
  return !exchanges(facts.collective) && !among_neighbours(facts.collective);
}

// Nobody knows the root. From the last rank of the first half, a tree that is made for rank 0
// crosses more often.
int awkward_root(int ranks) noexcept { return ranks / 2 - 1; }

}  // namespace

bool knows_shared_nodes(const Facts& shape) {
  return !shape.inter && shape.topology != nullptr && shape.topology->nodes.known() &&
         shape.topology->sites.count() < 2;
}

Dimensions dimensions_of(const Facts& facts, const NetworkLengths& network) {
  return {.p = facts.ranks,
          .m = static_cast<double>(facts.bytes),
          .network = network,
          .topology = facts.topology};
}

std::optional<interpret::Traffic> run_on_shared_nodes(const Choice& choice, const Facts& facts,
                                                      int root, const NodeLinks& links,
                                                      const NetworkLengths& network,
                                                      RunBudget& budget) {
  const Units p = facts.ranks;
  interpret::Case of{
      .p = facts.ranks,
      .root = root,
      .m = has_p_blocks(facts.collective) ? (facts.bytes + p - 1) / p * p : facts.bytes,
      .commutative = facts.commutative,
      .topology = *facts.topology,
      .network = network,
      .graph = {std::shared_ptr<const Graph>(), facts.graph}};  // not its owner
  if (!choice.algorithm->tells_lengths(facts.graph)) {
    return interpret::run_over_nodes(choice, of, links, budget);
  }
  const Telling telling(choice, facts);
  of.m = telling.told;
  const auto first = interpret::run_over_nodes(telling.before, of, links, budget);
  if (!first) return std::nullopt;
  RunBudget rest = budget;
  rest.seconds -= first->seconds;
  of.m = telling.m;
  auto traffic = interpret::run_over_nodes(choice, of, links, rest);
  budget.transfers = rest.transfers;
  if (traffic) traffic->seconds += first->seconds;
  return traffic;
}

SharedNodesRuns::SharedNodesRuns(const Facts& facts, const Machine& machine, const NodeLinks& links,
                                 const NetworkLengths& network)
    : facts_(facts),
      machine_(machine),
      links_(links),
      network_(network),
      excerpts_(may_stand_for_all(facts) ? excerpts_of(*facts.topology) : std::nullopt),
      fewer_nodes_(fewer_nodes_of(*facts.topology)) {}

NodeLinks SharedNodesRuns::links_of(Discipline discipline) const {
  NodeLinks links = links_;
  links.unsteady.queueing = machine_.queueing;
  if (discipline == Discipline::paced) {
    links.startup *= 1 + machine_.handshake;
    links.near_startup *= 1 + machine_.handshake;
  } else {
    links.unsteady.drift = machine_.drift;
    links.unsteady.absorbed = machine_.absorbed;
    // Receives are posted ahead.
    links.eager = std::numeric_limits<double>::infinity();
  }
  return links;
}

std::optional<interpret::Traffic> SharedNodesRuns::traffic(const Choice& choice, Over over,
                                                           const NodeLinks& links,
                                                           RunBudget& budget) const {
  if (over == Over::fewer_nodes && fewer_nodes_) return by_fewer_nodes(choice, links, budget);
  if (over == Over::excerpts && excerpts_) return by_excerpts(choice, links, budget);
  return run(choice, facts_, links, budget);
}

std::optional<interpret::Traffic> SharedNodesRuns::run(const Choice& choice, const Facts& facts,
                                                       const NodeLinks& links,
                                                       RunBudget& budget) const {
  return run_on_shared_nodes(choice, facts, awkward_root(facts.ranks), links, network_, budget);
}

std::optional<interpret::Traffic> SharedNodesRuns::by_excerpts(const Choice& choice,
                                                               const NodeLinks& links,
                                                               RunBudget& budget) const {
  const auto of = [&](const Topology& excerpt) {
    return run(choice, on(excerpt, facts_.bytes), links, budget);
  };
  const auto both = of(excerpts_->both);
  if (!both) return std::nullopt;
  const auto nodes = of(excerpts_->nodes);
  if (!nodes) return std::nullopt;
  budget.seconds -= nodes->seconds - both->seconds;
  auto all = of(excerpts_->ranks);
  if (!all) return std::nullopt;
  all->seconds += nodes->seconds - both->seconds;
  all->unsteady = std::max(all->unsteady, nodes->unsteady);
  return all;
}

std::optional<interpret::Traffic> SharedNodesRuns::by_fewer_nodes(const Choice& choice,
                                                                  const NodeLinks& links,
                                                                  RunBudget& budget) const {
  const NodeLinks shared = fewer_nodes_->shared(links);
  const auto few = run(choice, on_fewer_nodes(fewer_nodes_->few), shared, budget);
  if (!few) return std::nullopt;
  auto all = run(choice, on_fewer_nodes(fewer_nodes_->some), shared, budget);
  if (!all) return std::nullopt;
  const double some = std::max(all->seconds, few->seconds);
  all->seconds = growth(choice) * fewer_nodes_->among_all(some, few->seconds);
  if (all->seconds > budget.seconds) return std::nullopt;
  return all;
}

// By how much more than in proportion the busiest rank sends among all nodes: a block that is
// passed on travels in more messages among more ranks. Where it passes as many nodes, the number of
// ranks does not matter.
double SharedNodesRuns::growth(const Choice& choice) const {
  if (choice.algorithm->uses_topology() || fewer_nodes_->keeps_messages) return 1;
  const Formula volume = choice.claims().volume;
  const auto among = [&](const Facts& facts) { return volume(dimensions_of(facts, network_)); };
  const double in_proportion = fewer_nodes_->among_all(among(on_fewer_nodes(fewer_nodes_->some)),
                                                       among(on_fewer_nodes(fewer_nodes_->few)));
  return std::max(1.0, among(facts_) / in_proportion);
}

Facts SharedNodesRuns::on_fewer_nodes(const Topology& excerpt) const {
  const std::int64_t ranks = excerpt.nodes.ranks();
  if (fewer_nodes_->keeps_messages) {
    Facts facts = on(excerpt, facts_.bytes);
    facts.longest = (facts_.longest * facts_.ranks + ranks - 1) / ranks;
    return facts;
  }
  return on(excerpt, (facts_.bytes * ranks + facts_.ranks - 1) / facts_.ranks);
}

Facts SharedNodesRuns::on(const Topology& excerpt, std::int64_t bytes) const {
  Facts facts = facts_;
  facts.bytes = bytes;
  facts.topology = &excerpt;
  facts.ranks = excerpt.nodes.ranks();
  facts.nodes = excerpt.nodes.count();
  return facts;
}

double SharedNodesRuns::expected(const interpret::Traffic& traffic) const {
  const double sharing = traffic.ranks_that_share > 1 ? machine_.sharing : 1;
  return traffic.seconds * sharing * (1 + traffic.unsteady) *
         (traffic.all_rounds ? 1 : surcharge_of_extrapolation);
}

}  // namespace roundelay::choose
