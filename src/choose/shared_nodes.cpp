// SPDX-License-Identifier: Apache-2.0
#include "choose/shared_nodes.hpp"

#include <algorithm>
#include <limits>

namespace roundelay::choose {

namespace {

using interpret::NodeLinks;
using interpret::Patience;

// How many times the least time of the busiest link ours may take.
constexpr double close = 1.2;
// So much may be run for one decision: some 50 ms.
constexpr int most_transfers = 50000;
constexpr int most_ranks = 1024;

// Data goes to or from one rank, each byte once: its node's link carries as much whatever the
// algorithm is, and the MPI library's own does it as well.
bool every_algorithm_loads_the_link_alike(Collective collective) {
  return rooted(collective) && facts_of(collective).cut != Cut::nothing;
}

class Search {
 public:
  Search(const Facts& facts, const Machine& machine, const NodeLinks& links,
         const NetworkLengths& network)
      : facts_(facts),
        machine_(machine),
        links_(links),
        network_(network),
        of_{.p = facts.ranks,
            .m = static_cast<double>(facts.bytes),
            .network = network,
            .topology = facts.topology} {}

  void run() {
    const std::vector<const Algorithm*> all = algorithms_of(facts_.collective, Groups::one);
    // Those over nodes have few transfers, so that they are run first.
    for (const Algorithm* algorithm : all) {
      if (algorithm->needs(Restriction::several_parts)) try_composed(*algorithm);
    }
    for (const Algorithm* algorithm : all) {
      if (algorithm->native() || algorithm->uses_topology()) continue;
      for (const Discipline discipline : {Discipline::paced, Discipline::early}) {
        Choice choice(*algorithm);
        choice.discipline = discipline;
        take_if_cheaper(choice, best_, 1);
      }
    }
  }

  [[nodiscard]] double seconds() const noexcept { return best_.seconds; }
  [[nodiscard]] const std::shared_ptr<const Choice>& choice() const noexcept {
    return best_.choice;
  }

 private:
  struct Best {
    std::shared_ptr<const Choice> choice = nullptr;
    double seconds = std::numeric_limits<double>::infinity();
  };

  // With the best algorithm for each stage: these follow each other, so that what is best for one
  // does not depend on the others. Nothing but paced rounds keeps long pipelines in step, so that
  // stages are compared as if all were paced.
  void try_composed(const Algorithm& algorithm) {
    constexpr double clearly = 0.98;
    Choice standard(algorithm);
    standard.discipline = Discipline::paced;
    Best best;
    take_if_cheaper(standard, best, 1);
    if (best.choice == nullptr) return;
    for (std::size_t stage = 1; stage < algorithm.parameters.size(); ++stage) {
      Choice made = *best.choice;
      for (const Algorithm* part :
           algorithms_of(algorithm.parameters[stage].collective, Groups::one)) {
        if (part->native() || part->uses_topology()) continue;
        made.values[stage].algorithm = std::make_shared<const Choice>(*part);
        take_if_cheaper(made, best, clearly);
      }
    }
    take_if_cheaper(*best.choice, best_, 1);
    Choice early = *best.choice;
    early.discipline = Discipline::early;
    take_if_cheaper(early, best_, 1);
  }

  // If it takes less than so many times as long as the best so far.
  void take_if_cheaper(const Choice& choice, Best& best, double times) {
    if (violated(choice, {facts_.ranks, facts_.commutative, facts_.topology}) != nullptr) return;
    const double its = price(choice, times * best.seconds);
    if (its >= times * best.seconds) return;
    best = {std::make_shared<const Choice>(choice), its};
  }

  // Seconds; infinite where they are more than `most`.
  double price(const Choice& choice, double most) {
    NodeLinks links = links_;
    const bool paced = choice.discipline == Discipline::paced;
    if (paced) {
      links.startup *= 1 + machine_.handshake;
      links.near_startup *= 1 + machine_.handshake;
    }
    patience_.seconds = most;
    const auto traffic = run_on_shared_nodes(choice, facts_, links, network_, patience_);
    if (!traffic) return std::numeric_limits<double>::infinity();
    const Claims claims = choice.claims();
    double seconds =
        traffic->seconds + machine_.beta * std::min(claims.shared(of_), machine_.absorbed);
    if (!paced) {
      const double absorbed = claims.waits_for_every_block ? 0 : machine_.absorbed;
      const double drifting = std::max(0.0, claims.drifting(of_) - absorbed);
      seconds *= 1 + (machine_.drift - 1) * drifting / std::max(1.0, claims.beta(of_));
    }
    return seconds;
  }

  const Facts& facts_;
  const Machine& machine_;
  const NodeLinks& links_;
  const NetworkLengths& network_;
  Dimensions of_;
  Patience patience_{0, most_transfers};
  Best best_;
};

}  // namespace

double least_through_a_link(Collective collective, double bytes, const Partition& nodes) {
  const double p = nodes.ranks();
  const double n = nodes.count();
  double most = 0;
  switch (collective) {
    case Collective::barrier: return 0;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::scan:
    case Collective::exscan: return bytes;
    // Each byte leaves all nodes but one to be combined, and enters all but one of the nodes.
    case Collective::allreduce: return 2 * bytes * (n - 1) / n;
    default: break;
  }
  for (int node = 0; node < nodes.count(); ++node) {
    const double s = nodes.size(node);
    most = std::max(most, exchanges(collective) ? s * (p - s) : std::max(s, p - s));
  }
  return bytes * most / p;
}

const char* leaves_shared_nodes_native(const Facts& shape) {
  const bool one_level = shape.topology != nullptr && shape.topology->nodes.known() &&
                         shape.topology->sites.count() < 2;
  if (shape.inter || !one_level) return "model: shared nodes";
  return shape.ranks > most_ranks ? "model: too many ranks to price" : nullptr;
}

std::optional<interpret::Traffic> run_on_shared_nodes(const Choice& choice, const Facts& facts,
                                                      const NodeLinks& links,
                                                      const NetworkLengths& network,
                                                      Patience& patience) {
  const Units p = facts.ranks;
  const interpret::Case of{
      .p = facts.ranks,
      .root = rooted(facts.collective) ? facts.ranks / 2 : 0,
      .m = exchanges(facts.collective) ? (facts.bytes + p - 1) / p * p : facts.bytes,
      .commutative = facts.commutative,
      .topology = *facts.topology,
      .network = network};
  return interpret::run_over_nodes(choice, of, links, patience);
}

Verdict on_shared_nodes(const Facts& facts, const Machine& machine, const NodeLinks& links,
                        const NetworkLengths& network) {
  const auto native = [&] { return leave_native(facts.collective, "model: shared nodes"); };
  // Where blocks are of other lengths, nobody knows what a link has to carry.
  if (facts.longest > 0 || every_algorithm_loads_the_link_alike(facts.collective)) return native();
  const double least = machine.beta * least_through_a_link(facts.collective,
                                                           static_cast<double>(facts.bytes),
                                                           facts.topology->nodes);
  // Else it is start-ups that count.
  if (close * least <= least + links.startup) return native();
  Search search(facts, machine, links, network);
  search.run();
  if (search.seconds() > close * least) return native();
  return {search.choice(), "model: near the limit of a shared link"};
}

}  // namespace roundelay::choose
