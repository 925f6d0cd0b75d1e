// SPDX-License-Identifier: Apache-2.0
#include "choose/model/tie_break.hpp"

#include <cmath>
#include <optional>

#include "choose/model/cost.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/memory_runs.hpp"

namespace roundelay::choose {

namespace {

// What the model does not price: the less, the better. No value: nobody knows.
std::optional<double> unpriced(const Choice& choice, const Facts& facts, const Machine& machine) {
  if (!facts.one_node) return distance_of(choice, facts, machine);
  if (!in_memory(facts) || !MemoryRuns::can_run(facts)) return std::nullopt;
  const double seconds = MemoryRuns(facts, machine).seconds(choice, no_limit);
  return std::isinf(seconds) ? std::nullopt : std::optional(seconds);
}

}  // namespace

Verdict break_ties(const Cheapest& found, const Facts& facts, const Machine& machine) {
  const auto& [cheapest, cost] = found.of_all;
  Verdict verdict{cheapest, found.reason};
  if (found.near.size() < 2) return verdict;
  auto least = unpriced(*cheapest, facts, machine);
  if (!least) return verdict;
  for (const Priced& one : found.near) {
    if (one.choice->algorithm == cheapest->algorithm) continue;
    if (one.cost.startups > most_startups_of_equal * cost.startups) continue;
    const auto its = unpriced(*one.choice, facts, machine);
    if (!its || *its >= *least * (1 - rounding)) continue;
    least = its;
    verdict = {one.choice, facts.one_node ? "model: about the cheapest, copies less"
                                          : "model: about the cheapest, keeps data near"};
  }
  return verdict;
}

}  // namespace roundelay::choose
