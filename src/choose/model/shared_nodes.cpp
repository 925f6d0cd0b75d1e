// SPDX-License-Identifier: Apache-2.0
#include "choose/model/shared_nodes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "choose/model/cost.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/run_limits.hpp"
#include "choose/model/shared_nodes_search.hpp"

namespace roundelay::choose {

namespace {

using interpret::NodeLinks;
using interpret::RunBudget;

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

// Seconds that a call takes at least, of which `link` are what the busiest link takes for its
// bytes.
double least_seconds(Collective collective, double link, int nodes, double startup) {
  const auto rounds = static_cast<double>(std::bit_width(static_cast<unsigned>(nodes - 1)));
  const bool blocks = facts_of(collective).cut != Cut::nothing;
  if (blocks || collective == Collective::allreduce || nodes == 2) return link + rounds * startup;
  // A message passes through the nodes in n blocks in n - 1 + rounds rounds at least; of the best
  // n:
  const double filling = (rounds - 1) * startup;
  return link + filling + 2 * std::sqrt(filling * link);
}

}  // namespace

bool exposes(const Choice& choice, int ranks) {
  const interpret::Call call(choice, {.p = ranks, .m = ranks});
  Schedule schedule = call.schedule(0);
  while (schedule.next()) {
    const auto transfers = schedule.round().transfers;
    if (std::ranges::count_if(transfers, [](const Transfer* transfer) {
          return transfer->exposed() && transfer->sends() && transfer->happens();
        }) > 1) {
      return true;
    }
  }
  return false;
}

double least_through_a_link(Collective collective, double bytes, const Partition& parts,
                            std::optional<int> root) {
  if (parts.count() < 2) return 0;
  const double p = parts.ranks();
  const double n = parts.count();
  switch (collective) {
    case Collective::barrier: return 0;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::scan:
    case Collective::exscan: return bytes;
    // Each byte leaves all parts but one to be combined, and enters all but one of the parts.
    case Collective::allreduce: return 2 * bytes * (n - 1) / n;
    // The blocks of all others go to the root's part or come from it.
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv: {
      const int own = root ? parts.size(parts.part_of(*root)) : parts.largest();
      return bytes * (p - own) / p;
    }
    default: break;
  }
  double most = 0;
  for (int part = 0; part < parts.count(); ++part) {
    const double s = parts.size(part);
    most = std::max(most, exchanges(collective) ? s * (p - s) : std::max(s, p - s));
  }
  return bytes * most / p;
}

bool knows_shared_nodes(const Facts& shape) {
  return !shape.inter && shape.topology != nullptr && shape.topology->nodes.known() &&
         shape.topology->sites.count() < 2;
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

namespace {

Verdict by_fewer_messages(const Facts& facts, const Machine& machine, const NodeLinks& links,
                          const NetworkLengths& network, double share,
                          const char* reason_to_leave_native) {
  if (messages_of(facts) > most_transfers_of_one) {
    return leave_native(facts.collective, too_many_to_price);
  }
  SharedNodesSearch search(facts, machine, links, network, std::numeric_limits<double>::infinity());
  std::shared_ptr<const Choice> best = search.much_cheaper_than_common(share);
  if (best == nullptr) return leave_native(facts.collective, reason_to_leave_native);
  return {std::move(best), by_fewer_startups};
}

}  // namespace

Verdict fewer_startups_on_shared_nodes(const Facts& facts, const Machine& machine,
                                       const NodeLinks& links, const NetworkLengths& network) {
  return by_fewer_messages(facts, machine, links, network, gain_of_passing_on_between_nodes,
                           "model: shared nodes");
}

// With so few messages between nodes, each that is spared costs two more inside of nodes, on which
// the ranks wait for each other. On a torus of 16 ranks on 2 nodes that took more than twice as
// long as the MPI library, though the link carried an eighth of the messages
// (docs/explanation/neighbourhood.md).
constexpr std::ptrdiff_t few_edges_between_nodes = 3;

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

Verdict on_shared_nodes(const Facts& facts, const Machine& machine, const NodeLinks& links,
                        const NetworkLengths& network) {
  const auto native = [&] { return leave_native(facts.collective, "model: shared nodes"); };
  // Where blocks are of other lengths, nobody knows what a link has to carry.
  if (facts.uneven()) return native();
  // There is nothing to compare with where the library is not known to be good.
  if (!machine.native_leads_when_short || keeps_cores(facts, machine)) {
    SharedNodesSearch search(facts, machine, links, network,
                             std::numeric_limits<double>::infinity());
    search.run();
    return search.choice() != nullptr ? Verdict{search.choice(), "model: cheapest"}
                                      : leave_native(facts.collective, too_many_to_price);
  }
  if (has_nothing_to_gain(facts, machine)) {
    return exchanges(facts.collective)
               ? fewer_startups_on_shared_nodes(facts, machine, links, network)
               : native();
  }
  // Every rank has a message for every other.
  if (exchanges(facts.collective) &&
      facts.ranks * (facts.ranks - 1) > most_transfers_between_nodes) {
    return leave_native(facts.collective, too_many_to_price);
  }
  const Partition& nodes = facts.topology->nodes;
  const double link = machine.beta * least_through_a_link(facts.collective,
                                                          static_cast<double>(facts.bytes), nodes);
  const double most = std::min(
      near_least_time * least_seconds(facts.collective, link, nodes.count(), links.startup),
      near_link_time * link);
  if (link + links.startup > most) return native();
  SharedNodesSearch search(facts, machine, links, network, most);
  search.run();
  if (search.choice() == nullptr) {
    return search.gave_up() ? leave_native(facts.collective, too_many_to_price) : native();
  }
  // For exchanges this was decided above. The others are in pieces, each of which has a start-up.
  if (!exchanges(facts.collective) && search.starts_up_for_long(startups_of_short) &&
      search.native_may_do_as_well()) {
    return leave_native(facts.collective, "model: short");
  }
  return {search.choice(), "model: near the limit of the links"};
}

std::vector<Candidate> prices_on_shared_nodes(const Facts& facts, const Machine& machine,
                                              const NodeLinks& links,
                                              const NetworkLengths& network) {
  const bool too_much =
      exchanges(facts.collective) && facts.ranks * (facts.ranks - 1) > most_transfers_between_nodes;
  if (!knows_shared_nodes(facts) || facts.uneven() || too_much) return {};
  return SharedNodesSearch(facts, machine, links, network, std::numeric_limits<double>::infinity())
      .all();
}

}  // namespace roundelay::choose
