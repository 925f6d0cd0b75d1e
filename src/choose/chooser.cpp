// SPDX-License-Identifier: Apache-2.0
#include "choose/chooser.hpp"

#include <limits>
#include <string_view>
#include <vector>

#include "choose/listed.hpp"
#include "choose/profile.hpp"

namespace roundelay {

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

// Of blocks of any lengths a rank knows only those that it gets from the other group.
bool length_is_shared(const Facts& facts) {
  return length_is_shared(facts.collective) && !(facts.inter && irregular(facts.collective));
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

double alpha_of(const Facts& facts, const Machine& machine) {
  return facts.oversubscribed ? machine.oversubscribed_alpha : machine.alpha;
}

Verdict by_model(const Facts& facts, const Machine& machine) {
  if (facts.inter) return leave_native(facts.collective, "model: between groups");
  constexpr std::int64_t short_message = 4096;
  if (machine.native_leads_on_one_node && facts.one_node &&
      (!facts.oversubscribed || facts.bytes <= short_message)) {
    return leave_native(facts.collective, "model: one node");
  }
  if (!length_is_shared(facts)) {
    return leave_native(facts.collective, "model: the ranks do not share the length");
  }
  const double alpha = alpha_of(facts, machine);
  const double startup = alpha / machine.beta;
  Verdict best;
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
    // What the network between sites gains and costs no closed form says.
    if (algorithm->native() || algorithm->uses_topology()) continue;
    Choice choice(*algorithm);
    if (violated(choice, circumstances_of(facts)) != nullptr) continue;
    const Dimensions of{
        .p = facts.ranks, .m = static_cast<double>(facts.bytes), .startup = startup};
    for (const Discipline discipline : {Discipline::early, Discipline::paced}) {
      const bool paced = discipline == Discipline::paced;
      choice.discipline = discipline;
      const Claims claims = choice.claims();
      const bool drifts = claims.pipelined && !facts.one_node;
      if (paced && !drifts) continue;
      const double rounds = claims.alpha(of) * (paced ? 1 + machine.handshake : 1);
      const double units = claims.beta(of) * (drifts && !paced ? machine.drift : 1) *
                           (claims.paired && !facts.one_node ? machine.pairing : 1);
      const double seconds =
          alpha * rounds + machine.beta * units + machine.gamma * claims.gamma(of);
      if (seconds < least) {
        least = seconds;
        best = {std::make_shared<const Choice>(choice), "model: cheapest"};
      }
    }
  }
  return best.choice != nullptr ? best
                                : leave_native(facts.collective, "no other algorithm can do it");
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
  return {rule.choice, reason};
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
  // Not even to the MPI library: some wait for ever where counts of an empty type differ.
  if (facts.bytes == 0 && facts.collective != Collective::barrier && length_is_shared(facts)) {
    return {nullptr, "no data"};
  }
  if (forced != nullptr) {
    require_possible(facts, *forced, "is forced");
    return {forced, "forced"};
  }
  if (wishes.deterministic && reduces(facts.collective)) {
    return {std::make_shared<const Choice>(deterministic_algorithm(facts.collective)),
            "deterministic"};
  }
  if (wishes.profile != nullptr) {
    const Rule* rule = wishes.profile->match(facts);
    if (rule != nullptr) return by_profile(facts, *wishes.profile, *rule);
  }
  return by_model(facts, machine);
}

}  // namespace

Verdict choose(const Facts& facts, const Wishes& wishes, const Machine& machine) {
  Verdict verdict = chosen(facts, wishes, machine);
  verdict.startup = static_cast<std::int64_t>(alpha_of(facts, machine) / machine.beta);
  return verdict;
}

const Algorithm& deterministic_algorithm(Collective collective) {
  switch (collective) {
    case Collective::reduce: return *find(collective, "ordered");
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return *find(collective, "reduce_then_scatter");
    default: return *find(collective, "recursive_doubling");
  }
}

void require_deterministic(const Choices& forced) {
  for (const Collective collective : collectives) {
    const auto& choice = forced[collective];
    if (choice == nullptr || !reduces(collective) || choice->algorithm->fixed_order) continue;
    const std::string valid =
        names_of(collective, [](const Algorithm& algorithm) { return algorithm.fixed_order; });
    throw SpellingError("ROUNDELAY_DETERMINISTIC=1 and " + std::string(name_of(collective)) + "=" +
                        choice->text() +
                        " exclude each other: the order in which that combines depends on more "
                        "than the number of ranks; it does not for " +
                        valid);
  }
}

}  // namespace roundelay
