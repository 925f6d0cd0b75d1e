// SPDX-License-Identifier: Apache-2.0
#include "choose/shared_nodes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "algorithms/values.hpp"
#include "choose/cost.hpp"
#include "choose/excerpts.hpp"

namespace roundelay::choose {

namespace {

using interpret::NodeLinks;
using interpret::Patience;

// How many times the least time ours may take, and how many times that of the link alone: beyond
// that it is start-ups that count, which an MPI library's own messages have less of.
constexpr double close = 1.25;
constexpr double mostly_link = 1.75;
// So many transfers may be run for one decision, and as many again to find the best stages of what
// is composed; and for one algorithm.
constexpr int most_transfers = 120000;
constexpr int most_of_one = 40000;
// Of more ranks only excerpts are run, and nothing that is not composed of stages.
constexpr int most_ranks_run = 1024;

// Where every algorithm loads the busiest link alike, and the MPI library's own is as good as any:
// data goes to or from one rank, each byte once; or every rank sends all others blocks that are
// too short to hinder each other.
bool has_nothing_to_gain(const Facts& facts, const Machine& machine) {
  const bool blocks = facts_of(facts.collective).cut != Cut::nothing;
  return (rooted(facts.collective) && blocks) ||
         (exchanges(facts.collective) &&
          static_cast<double>(facts.bytes) < facts.ranks * machine.crossing);
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

class Search {
 public:
  Search(const Facts& facts, const Machine& machine, const NodeLinks& links,
         const NetworkLengths& network, double most)
      : facts_(facts),
        machine_(machine),
        links_(links),
        network_(network),
        excerpts_(may_stand_for_all(facts) ? excerpts_of(*facts.topology) : std::nullopt) {
    best_.seconds = most;
  }

  void run() {
    for (const Algorithm* algorithm : in_order()) try_one(*algorithm, best_);
  }

  [[nodiscard]] std::vector<Candidate> all() {
    std::vector<Candidate> priced;
    for (const Algorithm* algorithm : in_order()) {
      Best best;
      try_one(*algorithm, best);
      if (best.choice != nullptr) priced.push_back({best.choice, best.seconds});
    }
    return priced;
  }

  // Whether start-ups are more than such a share of what the best takes.
  [[nodiscard]] bool starts_up_for_long(double share) {
    NodeLinks links = links_;
    links.startup = links.gap = links.near_startup = 0;
    patience_.seconds = (1 - share) * best_.in_step;
    return run(*best_.choice, best_.over, links, patience_).has_value();
  }
  // None: nothing takes less than `most` seconds.
  [[nodiscard]] const std::shared_ptr<const Choice>& choice() const noexcept {
    return best_.choice;
  }
  // Whether an algorithm that MPI libraries have, too, does about as well, at its best: where rank
  // 0 is the root, and both ways of a link are used at once.
  [[nodiscard]] bool native_may_do_as_well() {
    constexpr double about = 1.05;
    NodeLinks links = links_;
    links.pairing = 1;
    patience_.seconds = about * best_.seconds;
    return std::ranges::any_of(
        algorithms_of(facts_.collective, Groups::one), [&](const Algorithm* algorithm) {
          return algorithm->common && possible(Choice(*algorithm)) &&
                 run_on_shared_nodes(Choice(*algorithm), facts_, 0, links, network_, patience_);
        });
  }
  // Of short blocks: what passes them on in fewer messages between nodes, where that takes much
  // less than all that MPI libraries have, too; else null.
  [[nodiscard]] std::shared_ptr<const Choice> much_cheaper_than_common() {
    constexpr double much = 0.7;
    Best common;
    Best best;
    for (const Algorithm* algorithm : algorithms_of(facts_.collective, Groups::one)) {
      const bool composed = is_composed(*algorithm);
      if (!composed && !(algorithm->common && is_flat(*algorithm))) continue;
      for (const Discipline discipline : {Discipline::paced, Discipline::early}) {
        // Short blocks do not hinder each other.
        if (composed && discipline == Discipline::paced) continue;
        Choice choice(*algorithm);
        choice.discipline = discipline;
        take_if_cheaper(choice, composed ? best : common, 1);
      }
      if (composed) vary_ways(best);
    }
    return best.seconds < much * common.seconds ? best.choice : nullptr;
  }
  // Whether not all was run that might be better.
  [[nodiscard]] bool gave_up() const noexcept {
    return std::min(patience_.transfers, transfers_of_stages_) < 0;
  }

 private:
  // What is run: all ranks, or excerpts, if the ranks are so many that there are any.
  enum class Over : std::uint8_t { all, excerpts };

  struct Best {
    std::shared_ptr<const Choice> choice = nullptr;
    double seconds = std::numeric_limits<double>::infinity();
    double in_step = 0;  // seconds of its run alone
    Over over = Over::all;
  };

  // Those over nodes have few transfers, so that they are run first; then what has few rounds.
  [[nodiscard]] std::vector<const Algorithm*> in_order() const {
    std::multimap<double, const Algorithm*> found;
    for (const Algorithm* algorithm : algorithms_of(facts_.collective, Groups::one)) {
      if (is_composed(*algorithm)) {
        found.emplace(0, algorithm);
      } else if (facts_.ranks <= most_ranks_run && is_flat(*algorithm)) {
        found.emplace(rounds_of(*algorithm), algorithm);
      }
    }
    std::vector<const Algorithm*> all;
    for (const auto& [rounds, algorithm] : found) all.push_back(algorithm);
    return all;
  }

  void try_one(const Algorithm& algorithm, Best& best) {
    if (is_composed(algorithm)) {
      try_composed(algorithm, best);
      return;
    }
    for (const Discipline discipline : {Discipline::paced, Discipline::early}) {
      Choice choice(algorithm);
      choice.discipline = discipline;
      take_if_cheaper(choice, best, 1);
    }
  }

  // With the best algorithm for each stage: these follow each other, so that what is best for one
  // does not depend on the others, and excerpts suffice. Nothing but paced rounds keeps long
  // pipelines in step, so that stages are compared as if all were paced.
  void try_composed(const Algorithm& algorithm, Best& best) {
    Choice standard(algorithm);
    standard.discipline = Discipline::paced;
    if (!possible(standard)) return;
    Best paced{.choice = std::make_shared<const Choice>(standard)};
    compare_stages(standard, paced, 1);
    for (std::size_t i = 1; i < algorithm.parameters.size(); ++i) vary(i, paced, clearly);
    Choice choice = *paced.choice;
    for (const Discipline discipline : {Discipline::paced, Discipline::early}) {
      choice.discipline = discipline;
      const bool runs_all = !excerpts_ || facts_.ranks <= most_ranks_run;
      const bool known = runs_all && take_if_cheaper(choice, best, 1);
      if (!known && excerpts_) take_if_cheaper(choice, best, 1, Over::excerpts);
    }
  }

  // With other values of one parameter, where these take less than so many times as long.
  void vary(std::size_t which, Best& best, double times) {
    Choice made = *best.choice;
    const Parameter& parameter = made.algorithm->parameters[which];
    for (Choice::Value& value :
         values_of(parameter, doubling(parameter),
                   [this](const Algorithm& part) { return is_flat(part); })) {
      made.values[which] = std::move(value);
      compare_stages(made, best, times);
    }
  }
  // The same for what is not an algorithm for a stage.
  void vary_ways(Best& best) {
    if (best.choice == nullptr || !is_composed(*best.choice->algorithm)) return;
    const std::vector<Parameter>& parameters = best.choice->algorithm->parameters;
    for (std::size_t i = 1; i < parameters.size(); ++i) {
      if (parameters[i].kind != Parameter::Kind::algorithm) vary(i, best, clearly);
    }
  }

  [[nodiscard]] double rounds_of(const Algorithm& algorithm) const {
    const Dimensions of{.p = facts_.ranks,
                        .m = static_cast<double>(facts_.bytes),
                        .network = network_,
                        .topology = facts_.topology};
    return Choice(algorithm).claims().rounds(of);
  }

  // One that knows no levels; what exposed blocks gain between nodes has not been measured.
  [[nodiscard]] bool is_flat(const Algorithm& algorithm) const {
    if (algorithm.native() || algorithm.uses_topology()) return false;
    const Choice choice(algorithm);
    return !possible(choice) || !exposes(choice, 4);
  }

  // Whether a link carries as much where nodes have fewer ranks.
  static bool may_stand_for_all(const Facts& facts) {
    return !exchanges(facts.collective) && !among_neighbours(facts.collective);
  }

  static bool is_composed(const Algorithm& algorithm) {
    return algorithm.needs(Restriction::several_parts);
  }

  // Nobody knows the root. From the last rank of the first half, a tree that is made for rank 0
  // crosses more often.
  static int awkward_root(int ranks) noexcept { return ranks / 2 - 1; }

  std::optional<interpret::Traffic> run(const Choice& choice, Over over, const NodeLinks& links,
                                        Patience& patience) const {
    const auto of = [&](const Facts& facts) {
      return run_on_shared_nodes(choice, facts, awkward_root(facts.ranks), links, network_,
                                 patience);
    };
    if (over == Over::all || !excerpts_) return of(facts_);
    const auto both = of(on(excerpts_->both));
    if (!both) return std::nullopt;
    const auto nodes = of(on(excerpts_->nodes));
    if (!nodes) return std::nullopt;
    patience.seconds -= nodes->seconds - both->seconds;
    auto all = of(on(excerpts_->ranks));
    if (!all) return std::nullopt;
    all->seconds += nodes->seconds - both->seconds;
    all->unsteady = std::max(all->unsteady, nodes->unsteady);
    return all;
  }
  [[nodiscard]] Facts on(const Topology& excerpt) const {
    Facts facts = facts_;
    facts.topology = &excerpt;
    facts.ranks = excerpt.nodes.ranks();
    facts.nodes = excerpt.nodes.count();
    return facts;
  }

  [[nodiscard]] bool possible(const Choice& choice) const {
    return violated(choice, {facts_.ranks, facts_.commutative, facts_.topology}) == nullptr;
  }

  void compare_stages(const Choice& choice, Best& best, double times) {
    take_if_cheaper(choice, best, times, Over::excerpts, transfers_of_stages_);
  }
  bool take_if_cheaper(const Choice& choice, Best& best, double times, Over over = Over::all) {
    return take_if_cheaper(choice, best, times, over, patience_.transfers);
  }
  // If it takes less than so many times as long as the best so far. Returns whether that is known:
  // else it was too much work.
  bool take_if_cheaper(const Choice& choice, Best& best, double times, Over over, int& budget) {
    if (!possible(choice)) return true;
    NodeLinks links = links_;
    links.unsteady.queueing = machine_.queueing;
    if (choice.discipline == Discipline::paced) {
      links.startup *= 1 + machine_.handshake;
      links.near_startup *= 1 + machine_.handshake;
    } else {
      links.unsteady.drift = machine_.drift;
      links.unsteady.absorbed = machine_.absorbed;
      // Receives are posted ahead.
      links.eager = std::numeric_limits<double>::infinity();
    }
    Patience patience{times * best.seconds, std::min(most_of_one, budget)};
    const int before = patience.transfers;
    const auto traffic = run(choice, over, links, patience);
    budget -= before - patience.transfers;
    if (!traffic) return patience.transfers >= 0;
    const double seconds = expected(*traffic);
    if (seconds < times * best.seconds) {
      best = {std::make_shared<const Choice>(choice), seconds, traffic->seconds, over};
    }
    return true;
  }

  // Seconds that it takes where ranks are not as much in step as those of a run.
  [[nodiscard]] double expected(const interpret::Traffic& traffic) const {
    const double sharing = traffic.ranks_that_share > 1 ? machine_.sharing : 1;
    return traffic.seconds * sharing * (1 + traffic.unsteady);
  }

  // Other values of parameters are worth it where they take so many times the time.
  static constexpr double clearly = 0.98;

  const Facts& facts_;
  const Machine& machine_;
  const NodeLinks& links_;
  const NetworkLengths& network_;
  std::optional<Excerpts> excerpts_;
  Patience patience_{0, most_transfers};
  int transfers_of_stages_ = most_transfers;
  Best best_;
};

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
                                                      Patience& patience) {
  const Units p = facts.ranks;
  interpret::Case of{
      .p = facts.ranks,
      .root = root,
      .m = has_p_blocks(facts.collective) ? (facts.bytes + p - 1) / p * p : facts.bytes,
      .commutative = facts.commutative,
      .topology = *facts.topology,
      .network = network,
      .graph = {std::shared_ptr<const Graph>(), facts.graph}};  // not its owner
  if (!choice.algorithm->tells_lengths()) {
    return interpret::run_over_nodes(choice, of, links, patience);
  }
  const Telling telling(choice, facts);
  of.m = telling.told;
  const auto first = interpret::run_over_nodes(telling.before, of, links, patience);
  if (!first) return std::nullopt;
  Patience rest = patience;
  rest.seconds -= first->seconds;
  of.m = telling.m;
  auto traffic = interpret::run_over_nodes(choice, of, links, rest);
  patience.transfers = rest.transfers;
  if (traffic) traffic->seconds += first->seconds;
  return traffic;
}

Verdict fewer_startups_on_shared_nodes(const Facts& facts, const Machine& machine,
                                       const NodeLinks& links, const NetworkLengths& network) {
  if (messages_of(facts) > most_of_one) {
    return leave_native(facts.collective, too_many_to_price);
  }
  Search search(facts, machine, links, network, std::numeric_limits<double>::infinity());
  std::shared_ptr<const Choice> best = search.much_cheaper_than_common();
  if (best == nullptr) return leave_native(facts.collective, "model: shared nodes");
  return {std::move(best), by_fewer_startups};
}

// With few messages between nodes, each that is saved costs two more inside of nodes, on which the
// ranks wait for each other; the lengths go the same way before. On a torus of 16 ranks on 2 nodes
// that took more than twice as long as the MPI library, though the link carried an eighth of the
// messages (docs/explanation/neighbourhood.md).
bool may_have_fewer_messages(const Facts& facts) {
  constexpr std::ptrdiff_t few = 3;
  return !facts.one_node && facts.nodes < facts.ranks && facts.topology != nullptr &&
         facts.topology->nodes.known() && facts.graph != nullptr &&
         most_edges_between(facts.topology->nodes, *facts.graph) > few;
}

Verdict fewer_messages_among_neighbours(const Facts& facts, const Machine& machine,
                                        const NodeLinks& links, const NetworkLengths& network) {
  Facts of_blocks = facts;
  const std::int64_t p = facts.ranks;
  const std::int64_t edges = messages_of(facts);
  of_blocks.bytes = p * ((p * facts.bytes + edges - 1) / edges);
  return fewer_startups_on_shared_nodes(of_blocks, machine, links, network);
}

Verdict on_shared_nodes(const Facts& facts, const Machine& machine, const NodeLinks& links,
                        const NetworkLengths& network) {
  const auto native = [&] { return leave_native(facts.collective, "model: shared nodes"); };
  // Where blocks are of other lengths, nobody knows what a link has to carry.
  if (facts.uneven()) return native();
  // Of a library that is not known to be good there is nothing to compare with.
  if (!machine.native_leads_when_short) {
    Search search(facts, machine, links, network, std::numeric_limits<double>::infinity());
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
  if (exchanges(facts.collective) && facts.ranks * (facts.ranks - 1) > most_transfers) {
    return leave_native(facts.collective, too_many_to_price);
  }
  const Partition& nodes = facts.topology->nodes;
  const double link = machine.beta * least_through_a_link(facts.collective,
                                                          static_cast<double>(facts.bytes), nodes);
  const double most =
      std::min(close * least_seconds(facts.collective, link, nodes.count(), links.startup),
               mostly_link * link);
  if (link + links.startup > most) return native();
  Search search(facts, machine, links, network, most);
  search.run();
  if (search.choice() == nullptr) {
    return search.gave_up() ? leave_native(facts.collective, too_many_to_price) : native();
  }
  // Of exchanges that was seen above: the others are in pieces, each of which has a start-up.
  if (!exchanges(facts.collective) && search.starts_up_for_long(long_share) &&
      search.native_may_do_as_well()) {
    return leave_native(facts.collective, "model: short");
  }
  return {search.choice(), "model: near the limit of the links"};
}

std::vector<Candidate> prices_on_shared_nodes(const Facts& facts, const Machine& machine,
                                              const NodeLinks& links,
                                              const NetworkLengths& network) {
  const bool too_much =
      exchanges(facts.collective) && facts.ranks * (facts.ranks - 1) > most_transfers;
  if (!knows_shared_nodes(facts) || facts.uneven() || too_much) return {};
  return Search(facts, machine, links, network, std::numeric_limits<double>::infinity()).all();
}

}  // namespace roundelay::choose
