// SPDX-License-Identifier: Apache-2.0
#include "choose/model/fewer_messages.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "choose/model/margins.hpp"
#include "choose/model/run_limits.hpp"
#include "choose/model/shared_nodes_runs.hpp"
#include "choose/model/shared_nodes_search.hpp"

namespace roundelay::choose {

namespace {

using interpret::NodeLinks;

// With so few messages between nodes, each that is spared costs two more inside of nodes, on which
// the ranks wait for each other. On a torus of 16 ranks on 2 nodes that took more than twice as
// long as the MPI library, though the link carried an eighth of the messages
// (docs/explanation/neighbourhood.md).
constexpr std::ptrdiff_t few_edges_between_nodes = 3;

// Messages that a call takes if each block is one.
std::int64_t messages_of(const Facts& facts) {
  if (facts.graph == nullptr) return std::int64_t{facts.ranks} * (facts.ranks - 1);
  std::int64_t edges = 0;
  for (int rank = 0; rank < facts.ranks; ++rank) {
    edges += std::ssize(facts.graph->destinations(rank));
  }
  return edges;
}

// Edges to other nodes, or from them, of the rank that has most.
std::ptrdiff_t most_edges_between(const Partition& nodes, const Graph& graph) {
  std::ptrdiff_t most = 0;
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    const auto far = [&](Edge edge) { return nodes.part_of(edge.peer) != nodes.part_of(rank); };
    most = std::max({most, std::ranges::count_if(graph.sources(rank), far),
                     std::ranges::count_if(graph.destinations(rank), far)});
  }
  return most;
}

Verdict by_fewer_messages(const Facts& facts, const Machine& machine, const NodeLinks& links,
                          const NetworkLengths& network, double share,
                          const char* reason_to_leave_native) {
  if (facts.graph != nullptr && messages_of(facts) > most_transfers_of_one) {
    return leave_native(facts.collective, too_many_to_price);
  }
  SharedNodesSearch search(facts, machine, links, network);
  const Candidate best = search.much_cheaper_than_common(share);
  return best.choice != nullptr ? verdict_on(best, by_fewer_startups)
                                : leave_native(facts.collective, reason_to_leave_native);
}

}  // namespace

Verdict fewer_startups_on_shared_nodes(const Facts& facts, const Machine& machine,
                                       const NodeLinks& links, const NetworkLengths& network) {
  return by_fewer_messages(facts, machine, links, network, gain_of_passing_on_between_nodes,
                           "model: shared nodes");
}

bool spares_messages(const Algorithm& algorithm, const Facts& facts) {
  if (algorithm.native() || algorithm.common) return false;
  if (algorithm.uses_topology()) {
    return facts.nodes < facts.ranks &&
           most_edges_between(facts.topology->nodes, *facts.graph) > few_edges_between_nodes;
  }
  const Claims claims = Choice(algorithm).claims();
  const Dimensions of{.p = facts.ranks, .graph = facts.graph};
  return claims.rounds(of) * claims.ports(of) < facts.graph->degree();
}

bool may_have_fewer_messages(const Facts& facts) {
  if (facts.one_node || facts.graph == nullptr || !knows_shared_nodes(facts)) return false;
  return std::ranges::any_of(
      algorithms_of(facts.collective, Groups::one),
      [&](const Algorithm* algorithm) { return spares_messages(*algorithm, facts); });
}

Verdict fewer_messages_among_neighbours(const Facts& facts, const Machine& machine,
                                        const NodeLinks& links, const NetworkLengths& network) {
  Facts of_blocks = facts;
  const std::int64_t p = facts.ranks;
  const std::int64_t edges = messages_of(facts);
  of_blocks.bytes = p * ((p * facts.bytes + edges - 1) / edges);
  return by_fewer_messages(of_blocks, machine, links, network,
                           facts.oversubscribed ? gain_of_passing_on_with_shared_cores
                                                : gain_of_passing_on_between_nodes,
                           "model: passing blocks on is not quicker");
}

}  // namespace roundelay::choose
