// SPDX-License-Identifier: Apache-2.0
#include "choose/model/between_groups.hpp"

#include <cstddef>
#include <memory>

#include "choose/model/cost.hpp"
#include "choose/model/possible.hpp"

namespace roundelay::choose {

namespace {

// Visits an algorithm with each possible algorithm for one of its parts, while its other parts stay
// as they are.
template <typename Visit>
void for_each_variant(const Choice& choice, const Facts& facts, const Visit& visit) {
  for_each_discipline(choice, facts, visit);
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    Choice variant = choice;
    for (const Algorithm* part :
         algorithms_of(choice.algorithm->parameters[i].collective, Groups::one)) {
      if (part->native() || part->uses_topology()) continue;
      variant.values[i].algorithm = std::make_shared<const Choice>(*part);
      if (!is_possible(variant, facts)) continue;
      for_each_discipline(variant, facts, visit);
    }
  }
}

}  // namespace

bool model_knows_between(Collective collective) {
  return first_common(collective, Groups::two) != nullptr;
}

Verdict between_groups(const Facts& facts, const Machine& machine) {
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
  for_each_variant(Choice(*common), facts, [&](const Choice& native) {
    if (const auto cost = there(native, least_there)) least_there = cost->seconds;
    if (const auto cost = back(native, least_back)) least_back = cost->seconds;
  });
  Verdict best = leave_native(facts.collective, "model: cheapest");
  double both = no_limit;
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::two)) {
    if (algorithm->native() || algorithm == common) continue;
    const Choice standard(*algorithm);
    if (!is_possible(standard, facts)) continue;
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

}  // namespace roundelay::choose
