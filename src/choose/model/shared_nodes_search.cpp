// SPDX-License-Identifier: Apache-2.0
#include "choose/model/shared_nodes_search.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/parts/pipeline.hpp"
#include "algorithms/values.hpp"
#include "choose/model/fewer_messages.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/possible.hpp"

namespace roundelay::choose {

namespace {

bool is_composed(const Algorithm& algorithm) { return algorithm.needs(Restriction::several_parts); }

}  // namespace

SharedNodesSearch::SharedNodesSearch(const Facts& facts, const Machine& machine,
                                     const interpret::NodeLinks& links,
                                     const NetworkLengths& network, double most)
    : facts_(facts), machine_(machine), network_(network), runs_(facts, machine, links, network) {
  best_.seconds = most;
}

void SharedNodesSearch::run() {
  choose_stages();
  knows_any_ = gave_up_ = false;  // stages do not count: others may have chosen them before
  for (const Algorithm* algorithm : in_order()) try_one(*algorithm, best_);
}

std::vector<Candidate> SharedNodesSearch::all() {
  choose_stages();
  std::vector<Candidate> priced;
  for (const Algorithm* algorithm : in_order()) {
    Best best;
    try_one(*algorithm, best);
    if (best.choice != nullptr) priced.push_back({best.choice, best.seconds});
  }
  return priced;
}

bool SharedNodesSearch::starts_up_for_long(double share) const {
  interpret::NodeLinks links = runs_.links();
  links.startup = links.gap = links.near_startup = 0;
  interpret::RunBudget budget{(1 - share) * best_.in_step, most_transfers_of_one};
  return runs_.traffic(*best_.choice, best_.over, links, budget).has_value();
}

bool SharedNodesSearch::native_may_do_as_well() const {
  interpret::NodeLinks links = runs_.links();
  links.pairing = 1;
  return std::ranges::any_of(
      algorithms_of(facts_.collective, Groups::one), [&](const Algorithm* algorithm) {
        const Choice choice(*algorithm);
        if (!algorithm->common || !is_possible(choice, facts_) || !can_run(*algorithm))
          return false;
        interpret::RunBudget budget{about_equal * best_.seconds, most_transfers_of_one};
        const Over over = all_of(*algorithm);
        const auto its = over == Over::all
                             ? run_on_shared_nodes(choice, facts_, 0, links, network_, budget)
                             : runs_.traffic(choice, over, links, budget);
        return its.has_value();
      });
}

Candidate SharedNodesSearch::much_cheaper_than_common(double share) {
  Best common;
  Best best;
  for (const Algorithm* algorithm : algorithms_of(facts_.collective, Groups::one)) {
    const bool passes_on = among_neighbours(facts_.collective) ? spares_messages(*algorithm, facts_)
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
  if (best.seconds >= share * common.seconds) return {};
  return {best.choice, best.seconds};
}

bool SharedNodesSearch::gave_up() const noexcept { return gave_up_ && !knows_any_; }

// Those over nodes have few transfers, so that they are run first; then what has few rounds.
std::vector<const Algorithm*> SharedNodesSearch::in_order() const {
  std::multimap<double, const Algorithm*> found;
  for (const Algorithm* algorithm : algorithms_of(facts_.collective, Groups::one)) {
    if (is_composed(*algorithm)) {
      found.emplace(0, algorithm);
    } else if (is_flat(*algorithm) && can_run(*algorithm)) {
      found.emplace(rounds_of(*algorithm), algorithm);
    }
  }
  std::vector<const Algorithm*> all;
  for (const auto& [rounds, algorithm] : found) all.push_back(algorithm);
  return all;
}

void SharedNodesSearch::try_one(const Algorithm& algorithm, Best& best) {
  if (is_composed(algorithm)) {
    try_composed(algorithm, best);
    return;
  }
  // Of these a few rounds or blocks are run, or fewer nodes, or none.
  const bool has_many =
      (Choice(algorithm).claims().symmetric || algorithm.parameter(blocks_parameter().name)) &&
      rounds_of(algorithm) * facts_.ranks > most_transfers_of_one;
  for (const Discipline discipline : {Discipline::paced, Discipline::early}) {
    Choice choice(algorithm);
    choice.discipline = discipline;
    int of_one = most_transfers_of_one;
    int& left = has_many ? of_one : transfers_;
    if (!take_if_cheaper(choice, best, 1, all_of(algorithm), left))
      return;  // the other has as many
  }
}

void SharedNodesSearch::try_composed(const Algorithm& algorithm, Best& best) {
  const auto its = std::ranges::find(composed_.choices, &algorithm, &Choice::algorithm);
  if (its == composed_.choices.end()) return;
  Choice choice = *its;
  bool runs_all = !runs_.has_excerpts() || facts_.ranks <= most_ranks_run;
  for (const Discipline discipline : {Discipline::paced, Discipline::early}) {
    choice.discipline = discipline;
    runs_all = runs_all && take_if_cheaper(choice, best);  // the other has as many transfers
    if (!runs_all && runs_.has_excerpts()) {
      take_if_cheaper(choice, best, 1, Over::excerpts, transfers_);
    }
  }
}

Remembered<SharedNodesSearch::Composed>& SharedNodesSearch::remembered() {
  static auto* const remembered = new Remembered<Composed>(128);  // never destroyed: as verdicts
  return *remembered;
}

// Who asks for a choice often asks for all prices later.
void SharedNodesSearch::choose_stages() {
  composed_ = remembered().answer(facts_, machine_, [this](const Facts&, const Machine&) {
    for (const Algorithm* algorithm : algorithms_of(facts_.collective, Groups::one)) {
      Choice standard(*algorithm);
      standard.discipline = Discipline::paced;
      if (!is_composed(*algorithm) || !is_possible(standard, facts_)) continue;
      composed_.choices.push_back(with_best_stages(standard));
    }
    return composed_;
  });
}

// The stages follow each other, so that what is best for one does not depend on the others, and
// excerpts suffice. Nothing but paced rounds keeps long pipelines in step, so that stages are
// compared as if all were paced.
Choice SharedNodesSearch::with_best_stages(const Choice& standard) {
  Best paced{.choice = std::make_shared<const Choice>(standard)};
  compare_stages(standard, paced, 1);
  for (std::size_t i = 1; i < standard.algorithm->parameters.size(); ++i) vary(i, paced);
  return *paced.choice;
}

// With other values of one parameter, where these take clearly less time.
void SharedNodesSearch::vary(std::size_t which, Best& best) {
  Choice made = *best.choice;
  const Parameter& parameter = made.algorithm->parameters[which];
  for (Choice::Value& value : values_of(parameter, doubling(parameter),
                                        [this](const Algorithm& part) { return is_flat(part); })) {
    made.values[which] = std::move(value);
    compare_stages(made, best, gain_of_parameter);
  }
}

// The same for what is not an algorithm for a stage.
void SharedNodesSearch::vary_ways(Best& best) {
  if (best.choice == nullptr || !is_composed(*best.choice->algorithm)) return;
  const std::vector<Parameter>& parameters = best.choice->algorithm->parameters;
  for (std::size_t i = 1; i < parameters.size(); ++i) {
    if (parameters[i].kind != Parameter::Kind::algorithm) vary(i, best);
  }
}

double SharedNodesSearch::rounds_of(const Algorithm& algorithm) const {
  return Choice(algorithm).claims().rounds(dimensions_of(facts_, network_));
}

// One that knows no levels; what exposed blocks gain between nodes has not been measured.
bool SharedNodesSearch::is_flat(const Algorithm& algorithm) const {
  if (algorithm.native() || algorithm.uses_topology()) return false;
  const Choice choice(algorithm);
  return !is_possible(choice, facts_) || !exposes(choice, 4);
}

// Whether all ranks can be run, or fewer nodes that stand for them: in exchanges, and where all
// ranks do as much for each block. There not all ranks of a node may use its link at once, so that
// none can be left out.
bool SharedNodesSearch::can_run(const Algorithm& flat) const {
  if (facts_.ranks <= most_ranks_run || exchanges(facts_.collective)) return true;
  const std::optional<FewerNodes>& fewer = runs_.fewer_nodes();
  return fewer && fewer->times_as_many == 1 && !fewer->keeps_messages && facts_.bytes > 0 &&
         Choice(flat).claims().symmetric;
}

// What stands for all ranks.
Over SharedNodesSearch::all_of(const Algorithm& algorithm) const {
  const bool too_many = facts_.ranks > most_ranks_run && !is_composed(algorithm);
  return exchanges(facts_.collective) || too_many ? Over::fewer_nodes : Over::all;
}

void SharedNodesSearch::compare_stages(const Choice& choice, Best& best, double times) {
  const Over over = exchanges(facts_.collective) ? Over::fewer_nodes : Over::excerpts;
  take_if_cheaper(choice, best, times, over, composed_.transfers_left);
}

bool SharedNodesSearch::take_if_cheaper(const Choice& choice, Best& best) {
  return take_if_cheaper(choice, best, 1, all_of(*choice.algorithm), transfers_);
}

// If it takes less than so many times as long as the best so far. Returns whether that is known:
// else it was too much work.
bool SharedNodesSearch::take_if_cheaper(const Choice& choice, Best& best, double times, Over over,
                                        int& transfers_left) {
  if (!is_possible(choice, facts_)) return true;
  const interpret::NodeLinks links = runs_.links_of(choice.discipline);
  interpret::RunBudget budget{times * best.seconds,
                              std::min(most_transfers_of_one, transfers_left)};
  const int before = budget.transfers;
  const auto traffic = runs_.traffic(choice, over, links, budget);
  transfers_left -= before - budget.transfers;
  const bool is_known = budget.transfers >= 0;
  (is_known ? knows_any_ : gave_up_) = true;
  if (!traffic) return is_known;
  const double seconds = runs_.expected(*traffic);
  if (seconds < times * best.seconds) {
    best = {std::make_shared<const Choice>(choice), seconds, traffic->seconds, over};
  }
  return true;
}

}  // namespace roundelay::choose
