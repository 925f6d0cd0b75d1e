// SPDX-License-Identifier: Apache-2.0
#include "choose/chooser.hpp"

#include <algorithm>
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

// `because` says where the choice comes from: "is forced".
void require_possible(const Facts& facts, const Choice& choice, const std::string& because) {
  const Restriction* restriction = violated(choice, facts.ranks, facts.commutative);
  if (restriction == nullptr) return;
  const std::string possible = names_of(facts.collective, [&](const Algorithm& algorithm) {
    return algorithm.is_for(groups_of(facts)) &&
           violated(Choice(algorithm), facts.ranks, facts.commutative) == nullptr;
  });
  throw ImpossibleChoice(std::string(name_of(facts.collective)) + "=" + choice.text() + " " +
                         because + ", but " + std::string(sentence_of(*restriction)) + " (ranks: " +
                         std::to_string(facts.ranks) + "); possible here: " + possible);
}

double alpha_of(const Facts& facts, const Machine& machine) {
  return facts.oversubscribed ? machine.oversubscribed_alpha : machine.alpha;
}

double seconds_of(const Claims& claims, Discipline discipline, const Dimensions& of,
                  const Facts& facts, const Machine& machine) {
  double rounds = claims.alpha(of);
  double units = claims.beta(of);
  if (!facts.one_node) {
    units += claims.paired(of) * (machine.pairing - 1);
    if (discipline == Discipline::paced) {
      rounds *= 1 + machine.handshake;
    } else {
      units += claims.drifting(of) * (machine.drift - 1);
    }
  }
  // Claims are of even blocks. Whole ones pass from rank to rank at the pace of the longest, but no
  // round moves more than all.
  const double stretched =
      claims.cuts_long_blocks ? 1 : std::max(1.0, of.longest_block() * of.p / std::max(1.0, of.m));
  units = std::max(units, std::min(units * stretched, claims.rounds(of) * of.m));
  return of.startup * machine.beta * rounds + machine.beta * units +
         machine.gamma * stretched * claims.gamma(of);
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
  const Dimensions of{.p = facts.ranks,
                      .m = static_cast<double>(facts.bytes),
                      .longest = facts.longest > 0 ? static_cast<double>(facts.longest) : -1,
                      .startup = alpha_of(facts, machine) / machine.beta};
  Verdict best;
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
    if (algorithm->native()) continue;
    Choice choice(*algorithm);
    if (violated(choice, facts.ranks, facts.commutative) != nullptr) continue;
    for (const Discipline discipline : {Discipline::early, Discipline::paced}) {
      choice.discipline = discipline;
      const Claims claims = choice.claims();
      if (discipline == Discipline::paced && (facts.one_node || claims.drifting(of) == 0)) break;
      const double seconds = seconds_of(claims, discipline, of, facts, machine);
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
