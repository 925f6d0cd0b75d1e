// SPDX-License-Identifier: Apache-2.0
#include "choose/model/between_sites.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/values.hpp"
#include "choose/model/cost.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/possible.hpp"
#include "choose/model/priced.hpp"
#include "choose/model/run_limits.hpp"
#include "choose/model/shared_nodes_runs.hpp"

namespace roundelay::choose {

namespace {

// Where sites are known and so is the way between them: runs of the schedules of all ranks.
class BetweenSites {
 public:
  BetweenSites(const Facts& facts, const Machine& machine)
      : facts_(facts),
        links_(site_links_of(facts, machine)),
        network_(network_of(facts, machine)) {}

  // Of all algorithms, composed ones with other algorithms than the standard ones for their stages
  // where that is clearly cheaper. Early: a paced message would cross twice.
  [[nodiscard]] Priced cheapest() const {
    Priced best;
    for (const Algorithm* algorithm : algorithms_of(facts_.collective, Groups::one)) {
      if (algorithm->native()) continue;
      Choice choice(*algorithm);
      if (algorithm->needs(Restriction::several_parts)) {
        choice.values[0].number = static_cast<std::int64_t>(Level::sites);
      }
      if (!is_possible(choice, facts_)) continue;
      if (!algorithm->uses_topology() && exposes(choice, 4)) continue;
      const Priced made = algorithm->needs(Restriction::several_parts)
                              ? with_stages(choice, best.cost.seconds)
                              : priced(choice, best.cost.seconds);
      if (made.choice != nullptr) best.take_if_cheaper(*made.choice, made.cost);
    }
    return best;
  }

  // Whether start-ups inside the sites take longer than the units.
  [[nodiscard]] bool starts_up_for_long(const Priced& best) const {
    interpret::NodeLinks links = links_;
    links.near_startup = 0;
    const double startups =
        std::max(links_.near_startup, best.cost.seconds - seconds(*best.choice, links, no_limit));
    links.startup = links.gap = 0;
    return startups > seconds(*best.choice, links, no_limit);
  }

 private:
  [[nodiscard]] double seconds(const Choice& choice, const interpret::NodeLinks& links,
                               double most) const {
    interpret::RunBudget budget{most, most_transfers_between_sites};
    const auto traffic =
        run_on_shared_nodes(choice, facts_, facts_.ranks / 2 - 1, links, network_, budget);
    // Algorithms that know one kind of link were up to 18 times as slow over two, except where
    // ranks keep their neighbours (docs/explanation/sites.md).
    const bool trusted = traffic && (choice.algorithm->uses_topology() || traffic->keeps_partners);
    return trusted ? traffic->seconds * (1 + traffic->unsteady) : no_limit;
  }
  [[nodiscard]] Priced priced(const Choice& choice, double most) const {
    Priced one;
    const double its = seconds(choice, links_, most * (1 + rounding));
    if (its < no_limit) one.take_if_cheaper(choice, Cost{.seconds = its});
    return one;
  }
  [[nodiscard]] Priced with_stages(const Choice& standard, double most) const {
    Priced best = priced(standard, most / gain_of_stage_between_sites);
    for (std::size_t stage = 1; best.choice != nullptr && stage < standard.values.size(); ++stage) {
      Priced other;
      Choice made = *best.choice;
      const Parameter& parameter = standard.algorithm->parameters[stage];
      for (Choice::Value& value :
           values_of(parameter, doubling(parameter), [](const Algorithm& part) {
             return !part.native() && !part.uses_topology() && !exposes(Choice(part), 4);
           })) {
        made.values[stage] = std::move(value);
        if (!is_possible(made, facts_)) continue;
        const Priced its = priced(made, std::min(other.cost.seconds, best.cost.seconds));
        if (its.choice != nullptr) other.take_if_cheaper(made, its.cost);
      }
      if (other.cost.seconds < gain_of_stage_between_sites * best.cost.seconds) best = other;
    }
    return best;
  }

  const Facts& facts_;
  interpret::NodeLinks links_;
  NetworkLengths network_;
};

}  // namespace

Verdict between_sites(const Facts& facts, const Machine& machine) {
  const auto native = [&] { return leave_native(facts.collective, "model: several sites"); };
  // Every algorithm takes each block to or from one rank across once.
  const bool blocks = facts_of(facts.collective).cut != Cut::nothing;
  if (machine.far_alpha == 0 || (rooted(facts.collective) && blocks)) return native();
  const BetweenSites runs(facts, machine);
  const Priced best = runs.cheapest();
  if (best.choice == nullptr || runs.starts_up_for_long(best)) return native();
  return {best.choice, "model: cheapest between sites"};
}

Verdict exchange_between_sites(const Facts& facts, const Machine& machine) {
  const auto native = [&] { return leave_native(facts.collective, "model: several sites"); };
  // Blocks that pass through other ranks have to be as long as their receivers expect.
  if (irregular(facts.collective)) return native();
  const std::vector<const Algorithm*> all = algorithms_of(facts.collective, Groups::one);
  const auto for_sites = std::ranges::find_if(
      all, [](const Algorithm* algorithm) { return algorithm->needs(Restriction::several_sites); });
  if (for_sites == all.end() || !machine.native_floods || machine.far_alpha == 0) return native();
  Choice choice(**for_sites);
  choice.discipline = Discipline::paced;
  const double crossing =
      (*choice.claims().far_volume)(dimensions_of(facts, {})) / 2 * machine.far_beta;
  if (crossing < startups_of_long_crossing * machine.far_alpha) return native();
  return {std::make_shared<const Choice>(choice), "model: much between sites"};
}

}  // namespace roundelay::choose
