// SPDX-License-Identifier: Apache-2.0
#include "interpret/cases.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "interpret/exact_length.hpp"
#include "interpret/shapes.hpp"
#include "interpret/switches.hpp"

namespace roundelay::interpret {

namespace {

// Of more ranks there are only even blocks of an exact length, on one network.
constexpr int most_ranks_of_all_lengths = 40;

// With `only`, only that one, if there is such a rank.
std::set<int> roots_of(const Choice& choice, const Case& shape, std::optional<int> only) {
  const Collective collective = choice.algorithm->collective;
  const int p = shape.p;
  const int ranks = shape.q > 0 && receives_at_root(collective) ? shape.q : p;
  if (only.has_value()) {
    if (*only >= ranks) return {};
    return {rooted(collective) ? *only : 0};
  }
  if (!rooted(collective)) return {0};
  if (shape.q > 0) return {0, ranks / 2, ranks - 1};
  if (p > (choice.algorithm->uses_topology() ? 6 : 17)) return {0, 1, p / 2, p - 1};
  std::set<int> roots;
  for (int root = 0; root < p; ++root) roots.insert(root);
  return roots;
}

std::vector<Units> lengths_of(const Choice& choice, int p) {
  const Collective collective = choice.algorithm->collective;
  const Units exact = exact_length(choice, p);
  if (collective == Collective::barrier || p > most_ranks_of_all_lengths) return {exact};
  if (choice.algorithm->groups == Groups::two && p > 12) return {exact, 2 * p + 3};
  const Units ranks = p;
  if (has_p_blocks(collective)) return {exact, 0, ranks, 3 * ranks};
  return {exact, 0, 1, ranks - 1, 2 * ranks + 3};
}

std::vector<Distribution> distributions_of(Collective collective, int p) {
  if (!irregular(collective) || p > (exchanges(collective) ? 64 : most_ranks_of_all_lengths))
    return {Distribution::even};
  return {Distribution::even, Distribution::uneven, Distribution::degenerate};
}

// Where an algorithm chooses a parameter itself: also as if messages were long, or had to be short.
// Else one more network for `one` case: every schedule may ask what the network is like.
std::vector<NetworkLengths> networks_of(const Choice& choice, int p, bool one) {
  if (p > most_ranks_of_all_lengths) return {{}};
  if (cuts_as_it_likes(choice)) return {{}, {.startup = 1, .gap = 1}, {.longest_message = 2}};
  if (one) return {{}, {.startup = 1, .gap = 1, .longest_message = 2}};
  return {{}};
}

bool may_be_in_place(const Algorithm& algorithm) {
  return facts_of(algorithm.collective).in_place ? algorithm.groups == Groups::one
                                                 : algorithm.in_place;
}

// For both kinds of operation, and in place or not, as far as that is possible.
std::vector<Case> kinds_of(const Choice& choice, const Case& shape) {
  std::vector<Case> kinds;
  for (const bool commutative : {true, false}) {
    if (!commutative && !reduces(choice.algorithm->collective)) continue;
    Case one = shape;
    one.network = {};
    one.commutative = commutative;
    if (violated(choice, circumstances_of(one)) != nullptr) continue;
    for (const bool in_place : {false, true}) {
      if (in_place && !may_be_in_place(*choice.algorithm)) continue;
      one.in_place = in_place;
      kinds.push_back(one);
    }
  }
  return kinds;
}

// `one` for every length, and on every network that counts for that.
std::vector<Case> with_lengths(const Choice& choice, Case one, bool another_network) {
  std::vector<Case> cases;
  const std::vector<Units> lengths = lengths_of(choice, one.p);
  for (const Units m : lengths) {
    one.m = m;
    for (const NetworkLengths& network :
         networks_of(choice, one.p, another_network && m == lengths.back())) {
      cases.emplace_back(one).network = network;
    }
  }
  return cases;
}

}  // namespace

std::vector<Case> cases_of(const Choice& choice, int p) {
  std::vector<Case> cases;
  for (const Case& shape : shapes_of(choice, p)) {
    std::ranges::move(cases_of(choice, shape), std::back_inserter(cases));
  }
  return cases;
}

std::vector<Case> cases_of(const Choice& choice, const Case& shape, std::optional<int> root) {
  const Collective collective = choice.algorithm->collective;
  const std::vector<Units> at_switches = shape.p > most_ranks_of_all_lengths
                                             ? std::vector<Units>()
                                             : lengths_at_switches(choice, shape);
  const std::set<int> roots = roots_of(choice, shape, root);
  std::vector<Case> cases;
  for (Case one : kinds_of(choice, shape)) {
    for (const int each : roots) {
      one.root = each;
      const bool is_last = each == *roots.rbegin();
      for (const Distribution distribution : distributions_of(collective, shape.p)) {
        one.distribution = distribution;
        one.apart = laid_out(collective) && distribution == Distribution::uneven;
        const bool is_plain =
            one.commutative && !one.in_place && distribution == Distribution::even;
        std::ranges::move(with_lengths(choice, one, is_plain && is_last),
                          std::back_inserter(cases));
        // Where a message is cut does not depend on the root: two of them are enough.
        if (each != *roots.begin() && !is_last) continue;
        for (const Units m : at_switches) cases.emplace_back(one).m = m;
      }
    }
  }
  return cases;
}

}  // namespace roundelay::interpret
