// SPDX-License-Identifier: Apache-2.0
// The best algorithm between nodes that have several ranks, by running what may be it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/values.hpp"
#include "choose/model/cost.hpp"
#include "choose/model/excerpts.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/run_limits.hpp"
#include "choose/model/shared_nodes.hpp"

namespace roundelay::choose {

class SharedNodesSearch {
 public:
  SharedNodesSearch(const Facts& facts, const Machine& machine, const interpret::NodeLinks& links,
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
  [[nodiscard]] bool starts_up_for_long(double share) const {
    interpret::NodeLinks links = links_;
    links.startup = links.gap = links.near_startup = 0;
    interpret::RunBudget budget{(1 - share) * best_.in_step, most_transfers_of_one};
    return run(*best_.choice, best_.over, links, budget).has_value();
  }
  // None: nothing takes less than `most` seconds.
  [[nodiscard]] const std::shared_ptr<const Choice>& choice() const noexcept {
    return best_.choice;
  }
  // Whether an algorithm that MPI libraries have, too, does about as well, at its best: where rank
  // 0 is the root, and both ways of a link are used at once.
  [[nodiscard]] bool native_may_do_as_well() const {
    interpret::NodeLinks links = links_;
    links.pairing = 1;
    return std::ranges::any_of(
        algorithms_of(facts_.collective, Groups::one), [&](const Algorithm* algorithm) {
          if (!algorithm->common || !is_possible(Choice(*algorithm), facts_)) return false;
          interpret::RunBudget budget{about_equal * best_.seconds, most_transfers_of_one};
          return run_on_shared_nodes(Choice(*algorithm), facts_, 0, links, network_, budget)
              .has_value();
        });
  }
  // Of short blocks: what passes them on in fewer messages, where that takes less than such a share
  // of the time of all that MPI libraries have, too; else null.
  [[nodiscard]] std::shared_ptr<const Choice> much_cheaper_than_common(double share) {
    Best common;
    Best best;
    for (const Algorithm* algorithm : algorithms_of(facts_.collective, Groups::one)) {
      const bool passes_on = among_neighbours(facts_.collective)
                                 ? spares_messages(*algorithm, facts_)
                                 : is_composed(*algorithm);
      if (!passes_on && !(algorithm->common && is_flat(*algorithm))) continue;
      for (const Discipline discipline : {Discipline::paced, Discipline::early}) {
        // Short blocks do not hinder each other.
        if (passes_on && discipline == Discipline::paced) continue;
        Choice choice(*algorithm);
        choice.discipline = discipline;
        take_if_cheaper(choice, passes_on ? best : common);
      }
      if (passes_on) vary_ways(best);
    }
    return best.seconds < share * common.seconds ? best.choice : nullptr;
  }
  // Whether not all was run that might be better.
  [[nodiscard]] bool gave_up() const noexcept {
    return std::min(budget_.transfers, transfers_of_stages_) < 0;
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
    // Of these a few rounds are run, or none.
    const bool has_many = Choice(algorithm).claims().symmetric &&
                          rounds_of(algorithm) * facts_.ranks > most_transfers_of_one;
    for (const Discipline discipline : {Discipline::paced, Discipline::early}) {
      Choice choice(algorithm);
      choice.discipline = discipline;
      int of_few_rounds = most_transfers_of_one;
      take_if_cheaper(choice, best, 1, Over::all, has_many ? of_few_rounds : budget_.transfers);
    }
  }

  // With the best algorithm for each stage: these follow each other, so that what is best for one
  // does not depend on the others, and excerpts suffice. Nothing but paced rounds keeps long
  // pipelines in step, so that stages are compared as if all were paced.
  void try_composed(const Algorithm& algorithm, Best& best) {
    Choice standard(algorithm);
    standard.discipline = Discipline::paced;
    if (!is_possible(standard, facts_)) return;
    Best paced{.choice = std::make_shared<const Choice>(standard)};
    compare_stages(standard, paced, 1);
    for (std::size_t i = 1; i < algorithm.parameters.size(); ++i) vary(i, paced);
    Choice choice = *paced.choice;
    for (const Discipline discipline : {Discipline::paced, Discipline::early}) {
      choice.discipline = discipline;
      const bool runs_all = !excerpts_ || facts_.ranks <= most_ranks_run;
      const bool known = runs_all && take_if_cheaper(choice, best);
      if (!known && excerpts_) take_if_cheaper(choice, best, Over::excerpts);
    }
  }

  // With other values of one parameter, where these take clearly less time.
  void vary(std::size_t which, Best& best) {
    Choice made = *best.choice;
    const Parameter& parameter = made.algorithm->parameters[which];
    for (Choice::Value& value :
         values_of(parameter, doubling(parameter),
                   [this](const Algorithm& part) { return is_flat(part); })) {
      made.values[which] = std::move(value);
      compare_stages(made, best, gain_of_parameter);
    }
  }
  // The same for what is not an algorithm for a stage.
  void vary_ways(Best& best) {
    if (best.choice == nullptr || !is_composed(*best.choice->algorithm)) return;
    const std::vector<Parameter>& parameters = best.choice->algorithm->parameters;
    for (std::size_t i = 1; i < parameters.size(); ++i) {
      if (parameters[i].kind != Parameter::Kind::algorithm) vary(i, best);
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
    return !is_possible(choice, facts_) || !exposes(choice, 4);
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

  std::optional<interpret::Traffic> run(const Choice& choice, Over over,
                                        const interpret::NodeLinks& links,
                                        interpret::RunBudget& budget) const {
    const auto of = [&](const Facts& facts) {
      return run_on_shared_nodes(choice, facts, awkward_root(facts.ranks), links, network_, budget);
    };
    if (over == Over::all || !excerpts_) return of(facts_);
    const auto both = of(on(excerpts_->both));
    if (!both) return std::nullopt;
    const auto nodes = of(on(excerpts_->nodes));
    if (!nodes) return std::nullopt;
    budget.seconds -= nodes->seconds - both->seconds;
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

  void compare_stages(const Choice& choice, Best& best, double times) {
    take_if_cheaper(choice, best, times, Over::excerpts, transfers_of_stages_);
  }
  bool take_if_cheaper(const Choice& choice, Best& best, Over over = Over::all) {
    return take_if_cheaper(choice, best, 1, over, budget_.transfers);
  }
  // If it takes less than so many times as long as the best so far. Returns whether that is known:
  // else it was too much work.
  bool take_if_cheaper(const Choice& choice, Best& best, double times, Over over,
                       int& transfers_left) {
    if (!is_possible(choice, facts_)) return true;
    interpret::NodeLinks links = links_;
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
    interpret::RunBudget budget{times * best.seconds,
                                std::min(most_transfers_of_one, transfers_left)};
    const int before = budget.transfers;
    const auto traffic = run(choice, over, links, budget);
    transfers_left -= before - budget.transfers;
    if (!traffic) return budget.transfers >= 0;
    const double seconds = expected(*traffic);
    if (seconds < times * best.seconds) {
      best = {std::make_shared<const Choice>(choice), seconds, traffic->seconds, over};
    }
    return true;
  }

  // Seconds that it takes where ranks are not as much in step as those of a run, and still less
  // where they have too many rounds to run.
  [[nodiscard]] double expected(const interpret::Traffic& traffic) const {
    const double sharing = traffic.ranks_that_share > 1 ? machine_.sharing : 1;
    return traffic.seconds * sharing * (1 + traffic.unsteady) *
           (traffic.all_rounds ? 1 : surcharge_of_extrapolation);
  }

  const Facts& facts_;
  const Machine& machine_;
  const interpret::NodeLinks& links_;
  const NetworkLengths& network_;
  std::optional<Excerpts> excerpts_;
  interpret::RunBudget budget_{0, most_transfers_between_nodes};
  int transfers_of_stages_ = most_transfers_between_nodes;
  Best best_;
};

}  // namespace roundelay::choose
