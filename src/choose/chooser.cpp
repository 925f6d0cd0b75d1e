// SPDX-License-Identifier: Apache-2.0
#include "choose/chooser.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/values.hpp"
#include "choose/cost.hpp"
#include "choose/listed.hpp"
#include "choose/profile.hpp"
#include "choose/remembered.hpp"
#include "choose/shared_nodes.hpp"

namespace roundelay::choose {

namespace {

template <typename Condition>
std::string names_of(Collective collective, const Condition& holds) {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : algorithms_of(collective)) {
    if (holds(*algorithm)) names.push_back(algorithm->name);
  }
  return listed(names);
}

Groups groups_of(const Facts& facts) { return facts.inter ? Groups::two : Groups::one; }

// Between two groups: of blocks of any lengths a rank knows only those that it gets from the other
// group, and of a message to or from a root, the other ranks of the root's group know nothing.
bool length_is_shared(const Facts& facts) {
  if (!length_is_shared(facts.collective)) return false;
  return !facts.inter || (facts.collective != Collective::allgatherv && !rooted(facts.collective));
}

Circumstances circumstances_of(const Facts& facts) {
  return {facts.ranks, facts.commutative, facts.topology};
}

// `because` says where the choice comes from: "is forced".
void require_possible(const Facts& facts, const Choice& choice, const std::string& because) {
  const Restriction* restriction = violated(choice, circumstances_of(facts));
  if (restriction == nullptr) return;
  const std::string possible = names_of(facts.collective, [&](const Algorithm& algorithm) {
    return algorithm.is_for(groups_of(facts)) &&
           violated(Choice(algorithm), circumstances_of(facts)) == nullptr;
  });
  throw ImpossibleChoice(std::string(name_of(facts.collective)) + "=" + choice.text() + " " +
                         because + ", but " + std::string(sentence_of(*restriction)) + " (ranks: " +
                         std::to_string(facts.ranks) + "); possible here: " + possible);
}

// MPICH over TCP cuts messages of 8 KiB and more itself: pipelines of such took 1.3 to 1.5 times as
// long in the lab. Short ones are only used where they take no longer, so this is no matter of
// cost.
double longest_message(const Choice& choice, const Machine& machine) {
  return machine.short_pipelines && choice.discipline == Discipline::paced ? short_message
                                                                           : no_limit;
}

// With its default values, but over the machine's torus where it has parameters for that. The last
// dimension is what is left.
Choice standard_of(const Algorithm& algorithm, const Facts& facts, const Machine& machine) {
  Choice standard(algorithm);
  if (!is_torus(facts, machine)) return standard;
  for (std::size_t i = 0; i < standard.values.size(); ++i) {
    const auto dimension = static_cast<std::size_t>(algorithm.parameters[i].dimension);
    if (dimension == 0 || dimension >= machine.torus.size()) continue;
    standard.values[i].number = machine.torus[dimension - 1];
  }
  return standard;
}

// An algorithm in those disciplines in which it is worth running.
template <typename Visit>
void for_each_discipline(Choice choice, const Facts& facts, const Visit& visit) {
  visit(choice);
  if (facts.one_node) return;
  choice.discipline = Discipline::paced;
  visit(choice);
}

// With every algorithm of each part, the others as they are.
template <typename Visit>
void for_each_make(const Choice& choice, const Facts& facts, const Visit& visit) {
  for_each_discipline(choice, facts, visit);
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    Choice made = choice;
    for (const Algorithm* part :
         algorithms_of(choice.algorithm->parameters[i].collective, Groups::one)) {
      if (part->native() || part->uses_topology()) continue;
      made.values[i].algorithm = std::make_shared<const Choice>(*part);
      if (violated(made, circumstances_of(facts)) != nullptr) continue;
      for_each_discipline(made, facts, visit);
    }
  }
}

// With one rank on each node a decision takes up to some seconds for so many ranks, and four times
// as long for twice as many (docs/explanation/model.md).
constexpr int most_ranks_priced = 8192;

// Why the model leaves every call on a communicator of this shape to the MPI library; null where it
// may choose something else. On a node ours are quicker through memory, and where more ranks than
// cores wait for a library that keeps its cores also by messages
// (docs/explanation/shared-memory.md).
const char* leaves_all_native(const Facts& shape, const Machine& machine) {
  if (shape.one_node) {
    return (native_waits(shape, machine) || shape.shares_memory) && !shape.inter
               ? nullptr
               : "model: one node";
  }
  if (shape.nodes == 0) return "model: placement unknown";
  if (shape.nodes < shape.ranks && !knows_shared_nodes(shape)) return "model: shared nodes";
  return shape.ranks > most_ranks_priced ? too_many_to_price : nullptr;
}

// One that MPI libraries have, too; null: there is none.
const Algorithm* first_common(Collective collective, Groups groups) {
  for (const Algorithm* algorithm : algorithms_of(collective, groups)) {
    if (!algorithm->native() && algorithm->common) return algorithm;
  }
  return nullptr;
}

Verdict between_by_model(const Facts& facts, const Machine& machine) {
  const Algorithm* common = first_common(facts.collective, Groups::two);
  if (!length_is_shared(facts)) {
    return leave_native(facts.collective, "model: the ranks do not share the length");
  }
  if (common == nullptr) return leave_native(facts.collective, "model: between groups");
  const int own = facts.ranks - facts.other_ranks;
  // Both directions, each as if all went that way.
  const auto there = [&](const Choice& choice, double most) {
    return cost_between(choice, own, facts.other_ranks, facts, machine, most);
  };
  const auto back = [&](const Choice& choice, double most) {
    return cost_between(choice, facts.other_ranks, own, facts, machine, most);
  };
  double least_there = no_limit;
  double least_back = no_limit;
  for_each_make(Choice(*common), facts, [&](const Choice& native) {
    if (const auto cost = there(native, least_there)) least_there = cost->seconds;
    if (const auto cost = back(native, least_back)) least_back = cost->seconds;
  });
  Verdict best = leave_native(facts.collective, "model: cheapest");
  double both = no_limit;
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::two)) {
    if (algorithm->native() || algorithm == common) continue;
    const Choice standard(*algorithm);
    if (violated(standard, circumstances_of(facts)) != nullptr) continue;
    for_each_discipline(standard, facts, [&](const Choice& choice) {
      const auto first = there(choice, least_there);
      if (!first || first->seconds >= least_there) return;
      const auto second = back(choice, least_back);
      if (!second || second->seconds >= least_back) return;
      if (first->seconds + second->seconds >= both) return;
      both = first->seconds + second->seconds;
      best = {std::make_shared<const Choice>(choice), "model: cheapest"};
    });
  }
  return best;
}

double long_share_of(const Facts& facts, const Machine& machine) {
  const bool floods = machine.native_floods && exchanges(facts.collective);
  return floods && !length_is_shared(facts) ? 0.25 : long_share;
}

// Costs of schedules that do the same are sums of the same numbers in another order.
constexpr double rounding = 1e-9;

struct Priced {
  std::shared_ptr<const Choice> choice = nullptr;
  Cost cost{.seconds = no_limit};

  // At equal cost, prefer more restrictions, because the model does not see what it costs to do
  // without them; then what MPI libraries also have, because the model does not see what the other
  // is for, either (that data stays near, say).
  void take_if_cheaper(const Choice& other, const std::optional<Cost>& its) {
    if (!its || its->seconds > cost.seconds * (1 + rounding)) return;
    const auto plainness = [](const Choice& one) {
      return std::tuple(one.algorithm->restrictions.size(), one.algorithm->common);
    };
    const bool alike = choice != nullptr && its->seconds >= cost.seconds * (1 - rounding);
    if (alike && plainness(other) <= plainness(*choice)) return;
    choice = std::make_shared<const Choice>(other);
    cost = *its;
  }
  // So that it matters that an MPI library's own messages start with less ado than ours.
  [[nodiscard]] bool starts_up_for_long(double share) const noexcept {
    return choice != nullptr && cost.startups > share * cost.seconds;
  }
};

// Where sites are known and so is the way between them: runs of the schedules of all ranks.
class BetweenSites {
 public:
  BetweenSites(const Facts& facts, const Machine& machine)
      : facts_(facts),
        links_(site_links_of(facts, machine)),
        network_(network_of(facts, machine)) {}

  // Of all algorithms, composed ones with other algorithms than the standard ones for their stages
  // where that is clearly cheaper. Early: a paced message would cross twice.
  [[nodiscard]] Priced cheapest() const {
    Priced best;
    for (const Algorithm* algorithm : algorithms_of(facts_.collective, Groups::one)) {
      if (algorithm->native()) continue;
      Choice choice(*algorithm);
      if (algorithm->needs(Restriction::several_parts)) {
        choice.values[0].number = static_cast<std::int64_t>(Level::sites);
      }
      if (violated(choice, circumstances_of(facts_)) != nullptr) continue;
      if (!algorithm->uses_topology() && exposes(choice, 4)) continue;
      const Priced made = algorithm->needs(Restriction::several_parts)
                              ? with_stages(choice, best.cost.seconds)
                              : priced(choice, best.cost.seconds);
      if (made.choice != nullptr) best.take_if_cheaper(*made.choice, made.cost);
    }
    return best;
  }

  // Whether start-ups inside the sites take longer than the units.
  [[nodiscard]] bool starts_up_for_long(const Priced& best) const {
    interpret::NodeLinks links = links_;
    links.near_startup = 0;
    const double startups =
        std::max(links_.near_startup, best.cost.seconds - seconds(*best.choice, links, no_limit));
    links.startup = links.gap = 0;
    return startups > seconds(*best.choice, links, no_limit);
  }

 private:
  [[nodiscard]] double seconds(const Choice& choice, const interpret::NodeLinks& links,
                               double most) const {
    constexpr int most_transfers = 50000;
    interpret::Patience patience{most, most_transfers};
    const auto traffic =
        run_on_shared_nodes(choice, facts_, facts_.ranks / 2 - 1, links, network_, patience);
    // Those that know one kind of link were up to 18 times as slow over two, but where ranks keep
    // their neighbours (docs/explanation/sites.md).
    const bool trusted = traffic && (choice.algorithm->uses_topology() || traffic->keeps_partners);
    return trusted ? traffic->seconds * (1 + traffic->unsteady) : no_limit;
  }
  [[nodiscard]] Priced priced(const Choice& choice, double most) const {
    Priced one;
    const double its = seconds(choice, links_, most * (1 + rounding));
    if (its < no_limit) one.take_if_cheaper(choice, Cost{.seconds = its});
    return one;
  }
  [[nodiscard]] Priced with_stages(const Choice& standard, double most) const {
    constexpr double clearly = 0.8;
    Priced best = priced(standard, most / clearly);
    for (std::size_t stage = 1; best.choice != nullptr && stage < standard.values.size(); ++stage) {
      Priced other;
      Choice made = *best.choice;
      const Parameter& parameter = standard.algorithm->parameters[stage];
      for (Choice::Value& value :
           values_of(parameter, doubling(parameter), [](const Algorithm& part) {
             return !part.native() && !part.uses_topology() && !exposes(Choice(part), 4);
           })) {
        made.values[stage] = std::move(value);
        if (violated(made, circumstances_of(facts_)) != nullptr) continue;
        const Priced its = priced(made, std::min(other.cost.seconds, best.cost.seconds));
        if (its.choice != nullptr) other.take_if_cheaper(made, its.cost);
      }
      if (other.cost.seconds < clearly * best.cost.seconds) best = other;
    }
    return best;
  }

  const Facts& facts_;
  interpret::NodeLinks links_;
  NetworkLengths network_;
};

// Nobody knows how long an MPI library would take between sites. But every algorithm must send the
// data across at least once. If start-ups inside the sites take less than that, we cannot lose
// much, and may gain much (docs/explanation/sites.md).
Verdict between_sites(const Facts& facts, const Machine& machine) {
  const auto native = [&] { return leave_native(facts.collective, "model: several sites"); };
  // Of blocks to or from one rank every algorithm takes each across once.
  const bool blocks = facts_of(facts.collective).cut != Cut::nothing;
  if (machine.far_alpha == 0 || (rooted(facts.collective) && blocks)) return native();
  const BetweenSites runs(facts, machine);
  const Priced best = runs.cheapest();
  if (best.choice == nullptr || runs.starts_up_for_long(best)) return native();
  return {best.choice, "model: cheapest between sites"};
}

// What crosses at once is soonest there, as long as the network holds it. Of more, packets are lost
// and connections wait: Open MPI's alltoall took 1.7 to 2.9 times as long then
// (docs/results/measured.md).
Verdict exchange_between_sites(const Facts& facts, const Machine& machine) {
  constexpr double many = 32;  // times what crosses in the time that a message is under way
  // Blocks that pass through other ranks have to be as long as their receivers expect.
  if (irregular(facts.collective)) return leave_native(facts.collective, "model: several sites");
  const auto native = [&] { return leave_native(facts.collective, "model: several sites"); };
  const std::vector<const Algorithm*> all = algorithms_of(facts.collective, Groups::one);
  const auto for_sites = std::ranges::find_if(
      all, [](const Algorithm* algorithm) { return algorithm->needs(Restriction::several_sites); });
  if (for_sites == all.end() || !machine.native_floods || machine.far_alpha == 0) return native();
  Choice choice(**for_sites);
  choice.discipline = Discipline::paced;
  const Dimensions of{
      .p = facts.ranks, .m = static_cast<double>(facts.bytes), .topology = facts.topology};
  const double crossing = (*choice.claims().far_volume)(of) / 2 * machine.far_beta;
  if (crossing < many * machine.far_alpha) return native();
  return {std::make_shared<const Choice>(choice), "model: much between sites"};
}

// What calls take where all ranks share memory, by runs of the schedules of all ranks.
class MemoryRuns {
 public:
  [[nodiscard]] static bool can_run(const Facts& facts) {
    constexpr int most_ranks = 64;
    return facts.ranks <= most_ranks && !facts.uneven() && facts.bytes > 0;
  }
  MemoryRuns(const Facts& facts, const Machine& machine)
      : one_node_{.nodes = Partition::by(std::vector<int>(static_cast<std::size_t>(facts.ranks))),
                  .sites = {}},
        facts_(facts),
        links_(node_links_of(facts, machine)),
        network_(network_of(facts, machine)) {
    facts_.topology = &one_node_;
    links_.near_startup = startup_of(facts, machine);
    links_.near_byte = machine.beta;
  }
  MemoryRuns(const MemoryRuns&) = delete;
  MemoryRuns& operator=(const MemoryRuns&) = delete;
  ~MemoryRuns() = default;

  // Infinite if it is more than `most`, or too much work to find out.
  [[nodiscard]] double seconds(const Choice& choice, double most) const {
    return seconds(choice, links_, most);
  }
  // What it takes without start-ups.
  [[nodiscard]] double seconds_of_copies(const Choice& choice, double most) const {
    interpret::NodeLinks copies = links_;
    copies.near_startup = 0;
    return seconds(choice, copies, most);
  }

 private:
  [[nodiscard]] double seconds(const Choice& choice, const interpret::NodeLinks& by,
                               double most) const {
    interpret::Patience patience{most, 20000};
    const auto traffic = run_on_shared_nodes(choice, facts_, 0, by, network_, patience);
    return traffic ? traffic->seconds : std::numeric_limits<double>::infinity();
  }

  Topology one_node_;
  Facts facts_;
  interpret::NodeLinks links_;
  NetworkLengths network_;
};

// Costs count messages. Where ranks share memory, a block that many read is copied in once:
// runs tell how much that saves. It has to be clear, and a matter of copies, not of start-ups.
Verdict with_blocks_exposed(Verdict verdict, const Facts& facts, const Machine& machine) {
  constexpr double clearly = 0.9;
  constexpr double mostly = 0.5;
  if (!MemoryRuns::can_run(facts)) return verdict;
  const MemoryRuns runs(facts, machine);
  double least = runs.seconds(*verdict.choice, std::numeric_limits<double>::infinity());
  if (std::isinf(least)) return verdict;
  least *= clearly;
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
    if (algorithm->native() || algorithm->uses_topology()) continue;
    const Choice choice(*algorithm);
    if (violated(choice, circumstances_of(facts)) != nullptr || !exposes(choice, facts.ranks)) {
      continue;
    }
    const double its = runs.seconds(choice, least);
    if (its >= least || runs.seconds_of_copies(choice, least) < mostly * its) continue;
    least = its;
    verdict = {std::make_shared<const Choice>(choice), "model: one copy for all readers"};
  }
  return verdict;
}

// Whether the model prices it by its messages: what algorithms gain where ranks share memory is not
// in these, and there is nothing to gain by fewer start-ups.
bool is_priced_by_messages(const Algorithm& algorithm, const Facts& facts) {
  return !algorithm.native() && !algorithm.uses_topology() &&
         !(facts.one_node && algorithm.tells_lengths(facts.graph)) &&
         violated(Choice(algorithm), circumstances_of(facts)) == nullptr;
}

// Which algorithms copy least. This counts first where ranks share cores and need not wait until
// all have come: the next call of some begins while others are in this one, so that no core is
// idle, and the time is what all ranks do together. On two cores, a scan in fewer rounds that sends
// more took 1.1 to 3.0 times as long (docs/explanation/shared-memory.md).
class LeastSent {
 public:
  LeastSent(const Facts& facts, const Machine& machine) {
    if (!facts.oversubscribed || !in_memory(facts) || waits_for_all(facts.collective)) return;
    for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
      if (!is_priced_by_messages(*algorithm, facts)) continue;
      if (const auto all = sent_by_all(Choice(*algorithm), facts, machine)) {
        sent_.emplace(algorithm, *all);
        units_ = std::min(units_, about * all->units);
      }
    }
    for (const auto& [algorithm, all] : sent_) {
      if (all.units <= units_) messages_ = std::min(messages_, all.messages);
    }
  }

  [[nodiscard]] bool counts() const noexcept { return !sent_.empty(); }
  // Of several that send about as few bytes, those with fewest messages. True if that is not known.
  [[nodiscard]] bool is_of(const Algorithm& algorithm) const {
    const auto found = sent_.find(&algorithm);
    return found == sent_.end() ||
           (found->second.units <= units_ && found->second.messages <= messages_);
  }

 private:
  std::map<const Algorithm*, interpret::Sent> sent_;
  double units_ = no_limit;
  double messages_ = no_limit;
};

struct Cheapest {
  const char* reason = "model: cheapest";
  Priced of_all;
  Priced common;             // of those that MPI libraries have, too
  std::vector<Priced> near;  // of each algorithm about as cheap, itself included
};

// The same, where other numbers of its parameters may make it cheaper.
double most_of(const Choice& choice, double cheapest) {
  constexpr double may_gain = 1.5;
  return cheapest *
         (std::ranges::any_of(choice.algorithm->parameters, &Parameter::priced) ? may_gain : about);
}

// Of those that may become the cheapest by it: takes other numbers of their parameters where that
// is clearly cheaper. Through memory nobody has measured what it gains.
void vary_numbers(std::vector<Priced>& all, const Facts& facts, const Machine& machine) {
  constexpr double clearly = 0.98;
  if (facts.one_node || all.empty()) return;
  const auto seconds = [](const Priced& one) { return one.cost.seconds; };
  const double cheapest = std::ranges::min(all, {}, seconds).cost.seconds;
  for (Priced& one : all) {
    if (one.cost.seconds > most_of(*one.choice, cheapest)) continue;
    for (std::size_t i = 0; i < one.choice->values.size(); ++i) {
      const Parameter& parameter = one.choice->algorithm->parameters[i];
      if (!parameter.priced) continue;
      Choice made = *one.choice;
      for (const std::int64_t number : doubling(parameter)) {
        if (number == one.choice->values[i].number) continue;
        made.values[i].number = number;
        if (violated(made, circumstances_of(facts)) != nullptr) continue;
        one.take_if_cheaper(made, cost_of(made, facts, machine, clearly * one.cost.seconds));
      }
    }
  }
}

// Of algorithms that tell lengths or of the others.
Cheapest cheapest_by_messages(const Facts& facts, const Machine& machine, bool tell_lengths) {
  Cheapest found;
  std::vector<Priced> all;
  const LeastSent least_sent(facts, machine);
  if (least_sent.counts()) found.reason = "model: copies least, as ranks share cores";
  for (const bool symmetric : {true, false}) {  // these are priced by the rounds of one rank
    for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
      if (!is_priced_by_messages(*algorithm, facts)) continue;
      if (algorithm->tells_lengths(facts.graph) != tell_lengths) continue;
      const Choice standard = standard_of(*algorithm, facts, machine);
      if (standard.claims().symmetric != symmetric || !least_sent.is_of(*algorithm)) continue;
      Priced one;
      for_each_discipline(standard, facts, [&](const Choice& choice) {
        const auto cost =
            cost_of(choice, facts, machine, most_of(choice, found.of_all.cost.seconds));
        one.take_if_cheaper(choice, cost);
        found.of_all.take_if_cheaper(choice, cost);
        if (algorithm->common) found.common.take_if_cheaper(choice, cost);
      });
      if (one.choice != nullptr) all.push_back(std::move(one));
    }
  }
  vary_numbers(all, facts, machine);
  for (const Priced& one : all) {
    found.of_all.take_if_cheaper(*one.choice, one.cost);
    if (one.choice->algorithm->common) found.common.take_if_cheaper(*one.choice, one.cost);
  }
  std::erase_if(
      all, [&](const Priced& one) { return one.cost.seconds > about * found.of_all.cost.seconds; });
  found.near = std::move(all);
  return found;
}

// What the model does not see of algorithms that it prices about alike. Between nodes: how far data
// goes, where ranks with near numbers are near. Through memory: what is copied. No value: nobody
// knows.
std::optional<double> unseen(const Choice& choice, const Facts& facts, const Machine& machine) {
  if (!facts.one_node) return distance_of(choice, facts, machine);
  if (!in_memory(facts) || !MemoryRuns::can_run(facts)) return std::nullopt;
  const double seconds = MemoryRuns(facts, machine).seconds(choice, no_limit);
  return std::isinf(seconds) ? std::nullopt : std::optional(seconds);
}

// Of those that do not start up for much longer: start-ups are what differs most from what the
// model knows. In the lab, a ring among 16 ranks took 1.27 of the time of what it was to cost as
// much as.
Verdict cheapest_where_unseen_counts(const Cheapest& found, const Facts& facts,
                                     const Machine& machine) {
  constexpr double much_longer = 2;
  const auto& [cheapest, cost] = found.of_all;
  Verdict verdict{cheapest, found.reason};
  if (found.near.size() < 2) return verdict;
  auto least = unseen(*cheapest, facts, machine);
  if (!least) return verdict;
  for (const Priced& one : found.near) {
    if (one.choice->algorithm == cheapest->algorithm) continue;
    if (one.cost.startups > much_longer * cost.startups) continue;
    const auto its = unseen(*one.choice, facts, machine);
    if (!its || *its >= *least * (1 - rounding)) continue;
    least = its;
    verdict = {one.choice, facts.one_node ? "model: about the cheapest, copies less"
                                          : "model: about the cheapest, keeps data near"};
  }
  return verdict;
}

// Exchanges of blocks of any lengths between nodes of one site.
bool may_have_fewer_startups(const Facts& facts) {
  return !facts.one_node && exchanges(facts.collective) && irregular(facts.collective) &&
         facts.bytes != 0 && (facts.topology == nullptr || facts.topology->sites.count() <= 1);
}

// What passes blocks of any lengths on gains by fewer start-ups for short ones, and loses for long
// ones. Calls count by the shortest of them in the others and by the longest block in these. With a
// rank on each node; null where the best of the others is better.
Priced fewer_startups(const Facts& facts, const Machine& machine, const Priced& others) {
  // Lab, 16 nodes with a rank each: tuna took 1.2 of Open MPI's time where it was to take 0.7.
  constexpr double much = 0.5;
  if (!may_have_fewer_startups(facts)) return {};
  Priced best = cheapest_by_messages(facts, machine, true).of_all;
  if (best.cost.seconds >= much * others.cost.seconds) return {};
  return best;
}

Verdict length_is_missing(const Facts& facts) {
  Verdict left = leave_native(facts.collective, "model: the ranks do not share the length");
  left.length_is_missing = true;
  return left;
}

// Blocks that go whole are not moved faster than by a library that keeps some under way: of 1 MiB,
// paced pairwise took 1.1 to 1.4 times as long as MPICH (docs/results/measured.md). So there is
// nothing to gain but by fewer start-ups, if at all for the shortest blocks.
Verdict where_native_scatters(const Facts& facts, const Machine& machine) {
  Verdict native = leave_native(facts.collective, "model: native scatters");
  Facts shortest = facts;
  if (facts.bytes == 0) shortest.bytes = facts.ranks;
  if (!may_have_fewer_startups(shortest)) return native;
  Verdict verdict = native;
  if (facts.nodes < facts.ranks) {
    verdict = fewer_startups_on_shared_nodes(shortest, machine, node_links_of(shortest, machine),
                                             network_of(shortest, machine));
  } else if (Priced best = fewer_startups(shortest, machine,
                                          cheapest_by_messages(shortest, machine, false).of_all);
             best.choice != nullptr) {
    verdict = {best.choice, by_fewer_startups};
  }
  if (verdict.choice->algorithm->native()) return native;
  return facts.bytes == 0 ? length_is_missing(facts) : verdict;
}

bool in_memory_with_a_core_each(const Facts& facts) {
  return in_memory(facts) && !facts.oversubscribed;
}

// Why a rank should exchange with all neighbours on its node at once, though the MPI library does
// the same; null: it should not. With a core for each rank, messages through memory took 0.1 to
// 1.07 of the library's time (docs/explanation/neighbourhood.md). Where ranks share cores, how well
// it gives its own up matters more.
const char* why_all_at_once(const Facts& facts, const Machine& machine) {
  if (!facts.one_node) return nullptr;
  if (native_waits(facts, machine)) return "model: the MPI library keeps cores while it waits";
  return in_memory_with_a_core_each(facts) ? "model: the same messages, through memory" : nullptr;
}

// MPI libraries send all messages at once, as ours do but for those that pass blocks on.
Verdict of_neighbours(const Facts& facts, const Machine& machine) {
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

Verdict by_model(const Facts& facts, const Machine& machine) {
  if (const char* const reason = leaves_all_native(facts, machine); reason != nullptr) {
    return leave_native(facts.collective, reason);
  }
  if (among_neighbours(facts.collective)) return of_neighbours(facts, machine);
  if (facts.inter) return between_by_model(facts, machine);
  if (machine.native_scatters && !facts.one_node && exchanges(facts.collective) &&
      irregular(facts.collective)) {
    return where_native_scatters(facts, machine);
  }
  if (facts.bytes == 0 && !length_is_shared(facts) && !facts.one_node) {
    return length_is_missing(facts);
  }
  if (!facts.one_node && facts.nodes < facts.ranks) {
    return on_shared_nodes(facts, machine, node_links_of(facts, machine),
                           network_of(facts, machine));
  }
  // Others know one kind of link. Over two they were up to 18 times as slow
  // (docs/explanation/sites.md).
  if (facts.topology != nullptr && facts.topology->sites.count() > 1) {
    return exchanges(facts.collective) ? exchange_between_sites(facts, machine)
                                       : between_sites(facts, machine);
  }
  const Cheapest found = cheapest_by_messages(facts, machine, false);
  const Priced& best = found.of_all;
  if (const Priced fewer = fewer_startups(facts, machine, best); fewer.choice != nullptr) {
    return {fewer.choice, by_fewer_startups};
  }
  if (best.choice == nullptr)
    return leave_native(facts.collective, "no other algorithm is possible");
  if (machine.native_leads_when_short && !facts.one_node &&
      found.common.starts_up_for_long(long_share_of(facts, machine)) &&
      found.common.cost.seconds <= about * best.cost.seconds) {
    return leave_native(facts.collective, "model: short");
  }
  Verdict cheapest = cheapest_where_unseen_counts(found, facts, machine);
  return in_memory(facts) ? with_blocks_exposed(std::move(cheapest), facts, machine) : cheapest;
}

}  // namespace

Verdict leave_native(Collective collective, std::string reason) {
  return {std::make_shared<const Choice>(*find(collective, "native")), std::move(reason)};
}

namespace {

Verdict by_profile(const Facts& facts, const Profile& profile, const Rule& rule) {
  const std::string reason = profile.reason(rule);
  if (!rule.choice->algorithm->native()) {
    require_possible(facts, *rule.choice, "is what " + reason + " says");
  }
  Verdict verdict{rule.choice, reason};
  verdict.source = Verdict::Source::profile;
  return verdict;
}

// A choice is for communicators of its kind; the MPI library's own is for both.
const std::shared_ptr<const Choice>& forced_for(const Facts& facts, const Choices& forced) {
  const auto& within = forced[facts.collective];
  const auto& between = forced.between(facts.collective);
  if (!facts.inter) return within;
  return between == nullptr && within != nullptr && within->algorithm->native() ? within : between;
}

Verdict chosen(const Facts& facts, const Wishes& wishes, const Machine& machine) {
  if (facts.ranks == 1) return leave_native(facts.collective, "one rank");
  const auto& forced = forced_for(facts, wishes.forced);
  if (forced != nullptr && forced->algorithm->native()) return {forced, "forced"};
  if (among_neighbours(facts.collective) && facts.graph == nullptr) {
    return leave_native(facts.collective, graph_read_otherwise);
  }
  // Not even to the MPI library: some wait for ever where counts of an empty type differ.
  if (facts.bytes == 0 && facts.collective != Collective::barrier && length_is_shared(facts)) {
    return {nullptr, "no data"};
  }
  if (forced != nullptr) {
    require_possible(facts, *forced, "is forced");
    return {forced, "forced"};
  }
  if (wishes.deterministic && reduces(facts.collective)) {
    if (facts.inter) return leave_native(facts.collective, "deterministic: between groups");
    return {std::make_shared<const Choice>(deterministic_algorithm(facts.collective)),
            "deterministic"};
  }
  if (wishes.profile != nullptr) {
    const Rule* rule = wishes.profile->match(facts);
    if (rule != nullptr) return by_profile(facts, *wishes.profile, *rule);
  }
  static auto* const remembered =
      new Remembered;  // never destroyed: collectives in atexit handlers
  Verdict verdict = remembered->verdict(facts, machine, by_model);
  verdict.source = Verdict::Source::model;
  return verdict;
}

}  // namespace

NetworkLengths network_for(const Choice& choice, const Facts& facts, const Machine& machine) {
  NetworkLengths network = network_of(facts, machine);
  network.longest_message = longest_message(choice, machine);
  return network;
}

Verdict choose(const Facts& facts, const Wishes& wishes, const Machine& machine) {
  Verdict verdict = chosen(facts, wishes, machine);
  verdict.network = verdict.choice != nullptr ? network_for(*verdict.choice, facts, machine)
                                              : network_of(facts, machine);
  return verdict;
}

namespace {

std::vector<Candidate> prices_in_memory(const Facts& facts, const Machine& machine) {
  std::vector<Candidate> priced;
  MemoryRuns runs(facts, machine);
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
    if (algorithm->native() || algorithm->uses_topology() || algorithm->tells_lengths(facts.graph))
      continue;
    const Choice choice(*algorithm);
    if (violated(choice, circumstances_of(facts)) != nullptr) continue;
    const double seconds = runs.seconds(choice, std::numeric_limits<double>::infinity());
    if (!std::isinf(seconds)) priced.push_back({std::make_shared<const Choice>(choice), seconds});
  }
  return priced;
}

std::vector<Candidate> prices_by_critical_path(const Facts& facts, const Machine& machine) {
  std::vector<Priced> all;
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
    if (!is_priced_by_messages(*algorithm, facts)) continue;
    Priced best;
    for_each_discipline(standard_of(*algorithm, facts, machine), facts, [&](const Choice& choice) {
      best.take_if_cheaper(choice, cost_of(choice, facts, machine, best.cost.seconds));
    });
    all.push_back(std::move(best));
  }
  vary_numbers(all, facts, machine);
  std::vector<Candidate> priced;
  for (const Priced& one : all) {
    priced.push_back({one.choice, one.cost.seconds, one.cost.startups});
  }
  return priced;
}

std::vector<Candidate> prices_in_any_order(const Facts& facts, const Machine& machine) {
  if (facts.ranks == 1 || facts.inter || among_neighbours(facts.collective)) return {};
  if (facts.bytes == 0 && !length_is_shared(facts)) return {};
  if (facts.topology != nullptr && facts.topology->sites.count() > 1) return {};
  if (in_memory(facts) && MemoryRuns::can_run(facts)) return prices_in_memory(facts, machine);
  if (facts.ranks > most_ranks_priced) return {};
  if (facts.one_node || facts.nodes == facts.ranks) return prices_by_critical_path(facts, machine);
  if (facts.nodes == 0) return {};
  return prices_on_shared_nodes(facts, machine, node_links_of(facts, machine),
                                network_of(facts, machine));
}

// Whether the user, or the order of operations, says what runs.
bool is_fixed(const Facts& facts, const Wishes& wishes) {
  return facts.ranks == 1 || facts.inter || forced_for(facts, wishes.forced) != nullptr ||
         (wishes.deterministic && reduces(facts.collective));
}

// Nobody knows what the MPI library takes, but for the turns of the ranks where they wait for
// cores.
double seconds_of_native(const Facts& facts, const Machine& machine) {
  if (!native_waits(facts, machine)) return 0;
  return machine.time_slice * std::bit_width(static_cast<unsigned>(facts.ranks - 1));
}

}  // namespace

std::vector<Candidate> prices(const Facts& facts, const Machine& machine) {
  std::vector<Candidate> priced = prices_in_any_order(facts, machine);
  std::ranges::sort(priced, {}, [](const Candidate& one) {
    return std::pair(one.seconds, one.choice->algorithm->name);
  });
  return priced;
}

bool gains_later(const Facts& facts, const Choice& choice, const Machine& machine,
                 const std::function<std::vector<Candidate>()>& priced) {
  constexpr double far_longer = 32;
  constexpr double much_less = 0.8;
  const double bytes_take = static_cast<double>(facts.bytes) * machine.beta;
  if (facts.one_node) {
    if (among_neighbours(facts.collective)) return in_memory_with_a_core_each(facts);
    const double startups = bytes_take / startup_of(facts, machine);
    const bool alike = exchanges(facts.collective) && startups >= far_longer;
    return in_memory(facts) && !alike && (!native_waits(facts, machine) || startups <= 1);
  }
  if (native_waits(facts, machine)) return false;
  if (among_neighbours(facts.collective)) return choice.algorithm->passes_on;
  if (bytes_take < far_longer * machine.alpha) return false;
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
    return its->seconds <= much_less * native;
  }
  // One that was too much work to price may be as good.
  const auto is_beaten = [&](const Algorithm* algorithm) {
    if (!algorithm->common || violated(Choice(*algorithm), circumstances_of(facts)) != nullptr) {
      return true;
    }
    const auto found = std::ranges::find(
        all, algorithm, [](const Candidate& one) { return one.choice->algorithm; });
    return found != all.end() && its->seconds <= much_less * found->seconds;
  };
  return std::ranges::all_of(algorithms_of(facts.collective, Groups::one), is_beaten);
}

std::vector<Candidate> candidates(const Facts& facts, const Wishes& wishes,
                                  const Machine& machine) {
  const Verdict verdict = choose(facts, wishes, machine);
  const bool one = verdict.choice == nullptr || is_fixed(facts, wishes);
  return candidates(facts, wishes, machine, verdict,
                    one ? std::vector<Candidate>() : prices(facts, machine));
}

std::vector<Candidate> candidates(const Facts& facts, const Wishes& wishes, const Machine& machine,
                                  const Verdict& verdict, std::vector<Candidate> priced) {
  constexpr double within = 2;
  constexpr std::size_t most = 7;
  std::vector<Candidate> found{{verdict.choice}};
  if (found.front().choice == nullptr || is_fixed(facts, wishes)) return found;
  // The length is all that the model lacks there.
  const bool any_length = facts.bytes == 0 && !length_is_shared(facts) && in_memory(facts);
  const bool over_graph = among_neighbours(facts.collective) && facts.graph != nullptr;
  if (priced.empty() && !any_length && !over_graph) return found;
  // Through memory they may be quicker or slower than the library's, which has no price.
  if (over_graph && in_memory(facts)) {
    for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
      const Choice choice(*algorithm);
      if (violated(choice, circumstances_of(facts)) != nullptr) continue;
      if (algorithm == found.front().choice->algorithm) continue;
      if (algorithm->common || spares_messages(*algorithm, facts)) {
        found.push_back({std::make_shared<const Choice>(choice)});
      }
    }
  }
  if (!found.front().choice->algorithm->native()) {
    found.push_back({leave_native(facts.collective, {}).choice, seconds_of_native(facts, machine)});
  }
  const double limit = priced.empty() ? 0 : within * priced.front().seconds;
  for (Candidate& candidate : priced) {
    if (candidate.choice->text() == found.front().choice->text()) {
      found.front().seconds = candidate.seconds;
    } else if (candidate.seconds <= limit && found.size() < most) {
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

bool may_leave_native(const Facts& shape, const Wishes& wishes, const Machine& machine) {
  if (shape.ranks == 1) return false;
  const auto is_ours = [](const std::shared_ptr<const Choice>& choice) {
    return choice != nullptr && !choice->algorithm->native();
  };
  for (const Collective collective : collectives) {
    if (is_ours(shape.inter ? wishes.forced.between(collective) : wishes.forced[collective])) {
      return true;
    }
    if (wishes.profile != nullptr &&
        std::ranges::any_of(wishes.profile->rules(collective), is_ours, &Rule::choice)) {
      return true;
    }
  }
  return (wishes.deterministic && !shape.inter) || leaves_all_native(shape, machine) == nullptr;
}

bool model_knows_between(Collective collective) {
  return first_common(collective, Groups::two) != nullptr;
}

namespace {

// Of those whose order is fixed the one that is cheapest for short messages among many ranks: it
// must not depend on the call.
const Algorithm& cheapest_in_fixed_order(Collective collective) {
  const Facts facts{.collective = collective, .bytes = 1024, .ranks = 64};
  Priced best;
  for (const Algorithm* algorithm : algorithms_of(collective, Groups::one)) {
    if (algorithm->native() || !algorithm->fixed_order) continue;
    const Choice choice(*algorithm);
    best.take_if_cheaper(choice, cost_of(choice, facts, {}, best.cost.seconds));
  }
  return *best.choice->algorithm;
}

}  // namespace

const Algorithm& deterministic_algorithm(Collective collective) {
  static const std::vector<const Algorithm*> all = [] {
    std::vector<const Algorithm*> of_collectives;
    for (const Collective each : collectives) {
      of_collectives.push_back(reduces(each) ? &cheapest_in_fixed_order(each) : nullptr);
    }
    return of_collectives;
  }();
  return *all[static_cast<std::size_t>(collective)];
}

void require_deterministic(const Choices& forced) {
  for (const Collective collective : collectives) {
    for (const Groups groups : {Groups::one, Groups::two}) {
      const auto& choice = groups == Groups::one ? forced[collective] : forced.between(collective);
      if (choice == nullptr || !reduces(collective) || choice->algorithm->fixed_order) continue;
      const std::string valid = names_of(collective, [&](const Algorithm& algorithm) {
        return groups == Groups::two ? algorithm.native()
                                     : algorithm.fixed_order && algorithm.is_for(groups);
      });
      throw SpellingError("ROUNDELAY_DETERMINISTIC=1 does not allow " +
                          std::string(name_of(collective)) + "=" + choice->text() +
                          ": the order in which it combines data depends on more than the number "
                          "of ranks; choose one of " +
                          valid);
    }
  }
}

}  // namespace roundelay::choose
