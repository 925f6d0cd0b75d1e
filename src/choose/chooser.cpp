// SPDX-License-Identifier: Apache-2.0
#include "choose/chooser.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "choose/deterministic.hpp"
#include "choose/listed.hpp"
#include "choose/model/cost.hpp"
#include "choose/model/model.hpp"
#include "choose/profile.hpp"

namespace roundelay::choose {

namespace {

Groups groups_of(const Facts& facts) { return facts.inter ? Groups::two : Groups::one; }

// `because` says where the choice comes from: "is forced".
void require_possible(const Facts& facts, const Choice& choice, const std::string& because) {
  const Restriction* restriction = violated(choice, circumstances_of(facts));
  if (restriction == nullptr) return;
  const std::string possible = names_of(facts.collective, [&](const Algorithm& algorithm) {
    return algorithm.is_for(groups_of(facts)) && is_possible(Choice(algorithm), facts);
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
  Verdict verdict = by_model(facts, machine);
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

}  // namespace roundelay::choose
