// SPDX-License-Identifier: Apache-2.0
#include "choose/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "choose/model/cost.hpp"
#include "choose/model/critical_paths.hpp"
#include "choose/model/fewer_messages.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/memory_runs.hpp"
#include "choose/model/model.hpp"
#include "choose/model/remembered.hpp"
#include "choose/model/run_limits.hpp"
#include "choose/model/shared_nodes.hpp"

namespace roundelay::choose {

namespace {

bool runs_in_memory(const Facts& facts) { return in_memory(facts) && MemoryRuns::can_run(facts); }

// Whether the model has prices for calls with these facts, where it finds a schedule.
bool may_be_priced(const Facts& facts) {
  if (facts.ranks == 1 || facts.inter || among_neighbours(facts.collective)) return false;
  if (facts.bytes == 0 && !length_is_shared(facts)) return false;
  if (facts.topology != nullptr && facts.topology->sites.count() > 1) return false;
  if (runs_in_memory(facts)) return true;
  return facts.ranks <= most_ranks_priced && (facts.one_node || facts.nodes > 0);
}

bool has(const std::vector<Candidate>& candidates, const Choice& choice) {
  return std::ranges::any_of(candidates, [text = choice.text()](const Candidate& one) {
    return one.choice->text() == text;
  });
}

// What choose() takes is among them: its search is another one.
std::vector<Candidate> prices_on_shared_nodes(const Facts& facts, const Machine& machine) {
  std::vector<Candidate> priced = prices_on_shared_nodes(
      facts, machine, node_links_of(facts, machine), network_of(facts, machine));
  const Verdict verdict = by_model(facts, machine);
  if (verdict.seconds > 0 && !has(priced, *verdict.choice)) {
    priced.push_back({verdict.choice, verdict.seconds});
  }
  return priced;
}

std::vector<Candidate> prices_in_any_order(const Facts& facts, const Machine& machine) {
  if (!may_be_priced(facts)) return {};
  if (runs_in_memory(facts)) return prices_in_memory(facts, machine);
  if (facts.one_node || facts.nodes == facts.ranks) return prices_by_critical_path(facts, machine);
  return prices_on_shared_nodes(facts, machine);
}

Remembered<std::vector<Candidate>>& remembered_prices() {
  static auto* const remembered =
      new Remembered<std::vector<Candidate>>(128);  // never destroyed: as verdicts
  return *remembered;
}

// Nobody knows what the MPI library takes, but for the turns of the ranks where they wait for
// cores.
double seconds_of_native(const Facts& facts, const Machine& machine) {
  if (!native_waits(facts, machine)) return 0;
  return machine.time_slice * std::bit_width(static_cast<unsigned>(facts.ranks - 1));
}

bool over_graph(const Facts& facts) {
  return among_neighbours(facts.collective) && facts.graph != nullptr;
}

// Whether anything is worth comparing with what choose() takes.
bool may_be_compared(const Facts& facts, const Verdict& verdict) {
  if (verdict.source == Verdict::Source::fixed || facts.inter) return false;
  // The length is all that the model lacks there.
  const bool any_length = facts.bytes == 0 && !length_is_shared(facts) && in_memory(facts);
  return may_be_priced(facts) || any_length || over_graph(facts);
}

std::vector<Candidate> first_candidates(const Facts& facts, const Machine& machine,
                                        const Verdict& verdict) {
  if (verdict.choice == nullptr) return {};
  std::vector<Candidate> found{{verdict.choice, verdict.seconds}};
  if (may_be_compared(facts, verdict) && !verdict.choice->algorithm->native()) {
    found.push_back({leave_native(facts.collective, {}).choice, seconds_of_native(facts, machine)});
  }
  return found;
}

}  // namespace

Verdict verdict_on(const Candidate& candidate, std::string reason) {
  Verdict verdict{candidate.choice, std::move(reason)};
  verdict.seconds = candidate.seconds;
  return verdict;
}

bool remembers_prices(const Facts& facts, const Machine& machine) {
  return remembered_prices().knows(facts, machine);
}

std::vector<Candidate> prices(const Facts& facts, const Machine& machine) {
  return remembered_prices().answer(facts, machine, [](const Facts& of, const Machine& on) {
    std::vector<Candidate> priced = prices_in_any_order(of, on);
    std::ranges::sort(priced, {}, [](const Candidate& one) {
      return std::pair(one.seconds, one.choice->algorithm->name);
    });
    return priced;
  });
}

std::vector<Candidate> candidates(const Facts& facts, const Wishes& wishes,
                                  const Machine& machine) {
  return candidates(facts, machine, choose(facts, wishes, machine),
                    [&] { return prices(facts, machine); });
}

std::vector<Candidate> candidates_at_once(const Facts& facts, const Wishes& wishes,
                                          const Machine& machine) {
  return first_candidates(facts, machine, choose(facts, wishes, machine));
}

std::vector<Candidate> candidates(const Facts& facts, const Machine& machine,
                                  const Verdict& verdict,
                                  const std::function<std::vector<Candidate>()>& priced) {
  constexpr std::size_t most_candidates = 7;
  std::vector<Candidate> found = first_candidates(facts, machine, verdict);
  if (found.empty() || !may_be_compared(facts, verdict)) return found;
  // Through memory they may be quicker or slower than the library's, which has no price.
  if (over_graph(facts) && in_memory(facts)) {
    for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
      const Choice choice(*algorithm);
      if (!is_possible(choice, facts)) continue;
      if (algorithm == found.front().choice->algorithm) continue;
      if (algorithm->common || spares_messages(*algorithm, facts)) {
        found.push_back({std::make_shared<const Choice>(choice)});
      }
    }
  }
  std::vector<Candidate> all = priced();
  const double limit = all.empty() ? 0 : worth_measuring * all.front().seconds;
  for (Candidate& candidate : all) {
    if (candidate.choice->text() == found.front().choice->text()) {
      found.front().seconds = candidate.seconds;
    } else if (candidate.seconds <= limit && found.size() < most_candidates) {
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

}  // namespace roundelay::choose
