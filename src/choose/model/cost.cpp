// SPDX-License-Identifier: Apache-2.0
#include "choose/model/cost.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "algorithms/agreement.hpp"
#include "choose/model/run_limits.hpp"
#include "interpret/critical_path.hpp"

namespace roundelay::choose {

namespace {

using interpret::Case;
using interpret::Link;

constexpr Units sizeof_length = 8;

// A call in units of which so many make a byte, so that its blocks are even: a byte each may not be
// there for all.
struct Scaled {
  Units m;
  Units units_of_byte;
};

Scaled scaled(Collective collective, std::int64_t bytes, Units blocks) {
  if (collective == Collective::barrier) return {0, 1};
  // Where nobody knows the length, messages still start.
  const Units m = std::max<Units>(1, bytes);
  constexpr Units long_block = 64;  // bytes, of which those that are added are few
  if (exchanges(collective) || m >= long_block * blocks)
    return {(m + blocks - 1) / blocks * blocks, 1};
  const Units times = blocks / std::gcd(m, blocks);
  return {m * times, times};
}

Link link_of(const Choice& choice, const Facts& facts, const Machine& machine, double units) {
  const bool paced = !facts.one_node && choice.discipline == Discipline::paced;
  Link link{.startup = machine.crowding * startup_of(facts, machine),
            .gap = gap_of(facts, machine),
            .byte = machine.beta / units,
            .combined_byte = machine.gamma / units,
            .eager = static_cast<double>(short_message) * units,
            .paced = paced,
            .moved_by_ranks = in_memory(facts),
            .taper = facts.one_node ? std::span<const double>() : machine.taper,
            .torus = is_torus(facts, machine) ? machine.torus : std::vector<int>(),
            .hop = machine.crowding * machine.hop};
  link.unsteady.queueing = machine.queueing;
  if (facts.one_node) return link;
  if (paced) {
    link.startup *= 1 + machine.handshake;
    link.hop *= 1 + machine.handshake;
  }
  link.unsteady.pairing = machine.pairing;
  link.unsteady.crossing = machine.crossing * units;
  if (paced) return link;
  link.unsteady.apart = !link.torus.empty();
  link.unsteady.drift = machine.drift;
  link.unsteady.absorbed = machine.absorbed * units;
  return link;
}

Case completed(Case of, Units units, const Facts& facts, const Machine& machine) {
  const auto times = static_cast<double>(units);
  const NetworkLengths network = network_of(facts, machine);
  of.network = {.startup = network.startup * times, .gap = network.gap * times};
  of.commutative = facts.commutative;
  return of;
}

std::optional<Cost> cost_of_case(const Choice& choice, const Case& begun, Units units,
                                 const Facts& facts, const Machine& machine, double most) {
  const auto times = static_cast<double>(units);
  const Case of = completed(begun, units, facts, machine);
  interpret::RunBudget budget{most, most_transfers_of_cost};
  const auto path =
      interpret::critical_path(choice, of, link_of(choice, facts, machine, times), budget);
  if (!path) return std::nullopt;
  return Cost{path->seconds, path->startups};
}

struct ScaledCase {
  Case of;
  Units units_of_byte;
};

// Of a call by an algorithm that tells no lengths.
ScaledCase case_of(const Facts& facts) {
  const bool uneven = facts.uneven() && irregular(facts.collective);
  const bool stretched = uneven && facts.ranks > most_ranks_of_uneven_blocks;
  const Scaled length =
      scaled(facts.collective, stretched ? facts.longest * facts.ranks : facts.bytes, facts.ranks);
  Case of{.p = facts.ranks, .m = length.m};
  if (uneven && !stretched) of.longest = facts.longest * length.units_of_byte;
  return {of, length.units_of_byte};
}

}  // namespace

bool is_torus(const Facts& facts, const Machine& machine) noexcept {
  return !facts.inter && facts.nodes == facts.ranks && !machine.torus.empty() &&
         interpret::Torus(machine.torus).places() == facts.ranks;
}

bool native_waits(const Facts& facts, const Machine& machine) noexcept {
  return facts.oversubscribed && !machine.native_shares_cores;
}

bool in_memory(const Facts& facts) noexcept { return facts.one_node && facts.shares_memory; }

double startup_of(const Facts& facts, const Machine& machine) noexcept {
  return facts.oversubscribed ? machine.oversubscribed_alpha : machine.alpha;
}

// Where ranks share cores, every message waits until its rank has one; but one that is written to
// memory does not.
double gap_of(const Facts& facts, const Machine& machine) noexcept {
  const bool waits = facts.oversubscribed && !in_memory(facts);
  return machine.crowding * (waits ? startup_of(facts, machine) : machine.gap);
}

double seconds_of_bytes(const Facts& facts, const Machine& machine) noexcept {
  return machine.beta * static_cast<double>(facts.bytes);
}

NetworkLengths network_of(const Facts& facts, const Machine& machine) noexcept {
  return {.startup = startup_of(facts, machine) / machine.beta,
          .gap = gap_of(facts, machine) / machine.beta};
}

// Where ranks share cores, a message to a rank of the same node waits as long as any other.
interpret::NodeLinks node_links_of(const Facts& facts, const Machine& machine) {
  return {.startup = machine.crowding * startup_of(facts, machine),
          .gap = gap_of(facts, machine),
          .byte = machine.beta,
          .near_startup = facts.oversubscribed ? startup_of(facts, machine) : machine.near_alpha,
          .near_byte = machine.near_beta,
          .step_byte = machine.gamma,
          .near_in_turn = facts.oversubscribed,
          .pairing = machine.pairing,
          .crossing = machine.crossing,
          .taper = machine.taper};
}

interpret::NodeLinks site_links_of(const Facts& facts, const Machine& machine) {
  return {.startup = machine.far_alpha,
          .gap = gap_of(facts, machine),
          .byte = machine.far_beta,
          .rank_byte = machine.beta,
          .near_startup = machine.crowding * startup_of(facts, machine),
          .near_byte = machine.beta,
          .step_byte = machine.gamma,
          .unsteady = {.pairing = machine.pairing,
                       .crossing = machine.crossing,
                       .drift = machine.drift,
                       .absorbed = machine.absorbed,
                       .queueing = machine.queueing},
          .level = Level::sites};
}

Telling::Telling(const Choice& choice, const Facts& facts)
    : before(choice), told(facts.ranks * sizeof_length), m(0) {
  const Units mean = (facts.bytes + facts.ranks - 1) / facts.ranks;
  const Units longest = std::max(mean, facts.longest);
  if (choice.algorithm->pads) {
    before = *agreement();
    told = sizeof_length;
    m = facts.ranks * (longest + sizeof_length);
  } else {
    m = facts.ranks * ((mean + longest + 1) / 2);
  }
}

std::optional<Cost> cost_of(const Choice& choice, const Facts& facts, const Machine& machine,
                            double most) {
  if (choice.algorithm->tells_lengths(facts.graph)) {
    const Telling of(choice, facts);
    const auto first =
        cost_of_case(of.before, {.p = facts.ranks, .m = of.told}, 1, facts, machine, most);
    if (!first) return std::nullopt;
    const auto then = cost_of_case(choice, {.p = facts.ranks, .m = of.m}, 1, facts, machine,
                                   most - first->seconds);
    if (!then) return std::nullopt;
    return Cost{first->seconds + then->seconds, first->startups + then->startups};
  }
  const auto [of, units] = case_of(facts);
  return cost_of_case(choice, of, units, facts, machine, most);
}

std::optional<double> distance_of(const Choice& choice, const Facts& facts,
                                  const Machine& machine) {
  if (choice.algorithm->tells_lengths(facts.graph)) return std::nullopt;
  const auto [of, units] = case_of(facts);
  const interpret::Torus torus(is_torus(facts, machine) ? machine.torus : std::vector{facts.ranks});
  return interpret::distance(choice, completed(of, units, facts, machine), torus,
                             most_messages_counted);
}

std::optional<interpret::Sent> sent_by_all(const Choice& choice, const Facts& facts,
                                           const Machine& machine) {
  const auto [of, units] = case_of(facts);
  return interpret::sent(choice, completed(of, units, facts, machine), most_messages_counted);
}

std::optional<Cost> cost_between(const Choice& choice, int senders, int receivers,
                                 const Facts& facts, const Machine& machine, double most) {
  const Scaled length = scaled(facts.collective, facts.bytes, std::lcm(senders, receivers));
  return cost_of_case(choice, {.p = senders, .m = length.m, .q = receivers}, length.units_of_byte,
                      facts, machine, most);
}

}  // namespace roundelay::choose
