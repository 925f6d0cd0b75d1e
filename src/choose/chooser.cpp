// SPDX-License-Identifier: Apache-2.0
#include "choose/chooser.hpp"

#include <limits>

namespace roundelay {

namespace {

void require_possible(const Facts& facts, const Choice& choice) {
  const Restriction* restriction = violated(choice, facts.ranks, facts.commutative);
  if (restriction == nullptr) return;
  std::string possible;
  for (const Algorithm* algorithm : algorithms_of(facts.collective)) {
    if (violated(Choice(*algorithm), facts.ranks, facts.commutative) != nullptr) continue;
    possible += (possible.empty() ? "" : ", ") + std::string(algorithm->name);
  }
  throw ImpossibleChoice(std::string(name_of(facts.collective)) + "=" + choice.text() +
                         " is forced, but " + std::string(sentence_of(*restriction)) + " (ranks: " +
                         std::to_string(facts.ranks) + "); possible here: " + possible);
}

Verdict by_model(const Facts& facts, const Machine& machine) {
  constexpr std::int64_t short_message = 4096;
  if (machine.native_leads_on_one_node && facts.one_node &&
      (!facts.oversubscribed || facts.bytes <= short_message)) {
    return leave_native(facts.collective, "model: one node");
  }
  const double alpha = facts.oversubscribed ? machine.oversubscribed_alpha : machine.alpha;
  Verdict best;
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm* algorithm : algorithms_of(facts.collective)) {
    if (algorithm->native()) continue;
    Choice choice(*algorithm);
    if (violated(choice, facts.ranks, facts.commutative) != nullptr) continue;
    const Claims claims = choice.claims();
    const auto m = static_cast<double>(facts.bytes);
    const double seconds = alpha * claims.alpha(facts.ranks, m) +
                           machine.beta * claims.beta(facts.ranks, m) +
                           machine.gamma * claims.gamma(facts.ranks, m);
    if (seconds < least) {
      least = seconds;
      best = {std::make_shared<const Choice>(std::move(choice)), "model: cheapest"};
    }
  }
  return best.choice != nullptr ? best
                                : leave_native(facts.collective, "no other algorithm can do it");
}

}  // namespace

Verdict leave_native(Collective collective, std::string reason) {
  return {std::make_shared<const Choice>(*find(collective, "native")), std::move(reason)};
}

Verdict choose(const Facts& facts, const Choices& forced, const Machine& machine) {
  if (facts.ranks == 1) return leave_native(facts.collective, "one rank");
  const auto& choice = forced[facts.collective];
  if (choice != nullptr && choice->algorithm->native()) return {choice, "forced"};
  // Not even to the MPI library: some wait for ever where counts of an empty type differ.
  if (facts.bytes == 0 && facts.collective != Collective::barrier) return {nullptr, "no data"};
  if (choice != nullptr) {
    require_possible(facts, *choice);
    return {choice, "forced"};
  }
  return by_model(facts, machine);
}

}  // namespace roundelay
