// SPDX-License-Identifier: Apache-2.0
#include "choose/model/critical_paths.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "algorithms/values.hpp"
#include "choose/model/least_sent.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/possible.hpp"

namespace roundelay::choose {

namespace {

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

// Beyond so many seconds an algorithm does not become the cheapest, or about as cheap.
double most_of(const Choice& choice, double cheapest) {
  return cheapest * (std::ranges::any_of(choice.algorithm->parameters, &Parameter::priced)
                         ? may_become_cheapest
                         : about_equal);
}

// Of those that may become the cheapest by it: takes other numbers of their parameters where that
// is clearly cheaper. Through memory nobody has measured what it gains.
void vary_numbers(std::vector<Priced>& all, const Facts& facts, const Machine& machine) {
  if (facts.one_node || all.empty()) return;
  const auto seconds = [](const Priced& one) { return one.cost.seconds; };
  const double cheapest = std::ranges::min(all, {}, seconds).cost.seconds;
  for (Priced& one : all) {
    if (one.cost.seconds > most_of(*one.choice, cheapest)) continue;
    for (std::size_t i = 0; i < one.choice->values.size(); ++i) {
      const Parameter& parameter = one.choice->algorithm->parameters[i];
      if (!parameter.priced) continue;
      Choice variant = *one.choice;
      for (const std::int64_t number : doubling(parameter)) {
        if (number == one.choice->values[i].number) continue;
        variant.values[i].number = number;
        if (!is_possible(variant, facts)) continue;
        one.take_if_cheaper(variant,
                            cost_of(variant, facts, machine, gain_of_parameter * one.cost.seconds));
      }
    }
  }
}

// Which algorithms a search compares, and how far their schedules are run.
struct Search {
  std::optional<Preparation> preparation = {};  // none: all
  const LeastSent* among = nullptr;             // only those that send least; null: all
  bool to_the_end = false;                      // or only until it is clear that others are cheaper
};

// Each of them in its cheaper discipline.
std::vector<Priced> search(const Search& of, const Facts& facts, const Machine& machine) {
  std::vector<Priced> all;
  double cheapest = no_limit;
  for (const bool symmetric : {true, false}) {  // these are priced by the rounds of one rank
    for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
      if (!is_compared(*algorithm, facts)) continue;
      if (of.among != nullptr && !of.among->is_of(*algorithm)) continue;
      const Preparation its =
          algorithm->tells_lengths(facts.graph) ? Preparation::tell_lengths : Preparation::none;
      if (its != of.preparation.value_or(its)) continue;
      const Choice standard = standard_of(*algorithm, facts, machine);
      if (standard.claims().symmetric != symmetric) continue;
      Priced one;
      for_each_discipline(standard, facts, [&](const Choice& choice) {
        const double most = of.to_the_end ? one.cost.seconds : most_of(choice, cheapest);
        one.take_if_cheaper(choice, cost_of(choice, facts, machine, most));
        cheapest = std::min(cheapest, one.cost.seconds);
      });
      if (one.choice != nullptr) all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace

Cheapest cheapest_by_critical_path(const Facts& facts, const Machine& machine,
                                   Preparation preparation) {
  Cheapest found;
  const LeastSent least_sent(facts, machine);
  if (least_sent.counts()) found.reason = "model: copies least, as ranks share cores";
  found.near = search({.preparation = preparation, .among = &least_sent}, facts, machine);
  const auto compare = [&] {
    for (const Priced& one : found.near) {
      found.of_all.take_if_cheaper(*one.choice, one.cost);
      if (one.choice->algorithm->common) found.common.take_if_cheaper(*one.choice, one.cost);
    }
  };
  compare();  // first: at equal cost, prefer standard numbers
  vary_numbers(found.near, facts, machine);
  compare();
  std::erase_if(found.near, [&](const Priced& one) {
    return one.cost.seconds > about_equal * found.of_all.cost.seconds;
  });
  return found;
}

std::vector<Candidate> prices_by_critical_path(const Facts& facts, const Machine& machine) {
  std::vector<Priced> all = search({.to_the_end = true}, facts, machine);
  vary_numbers(all, facts, machine);
  std::vector<Candidate> priced;
  for (const Priced& one : all) {
    priced.push_back({one.choice, one.cost.seconds, one.cost.startups});
  }
  return priced;
}

}  // namespace roundelay::choose
