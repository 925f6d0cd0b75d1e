// SPDX-License-Identifier: Apache-2.0
// Which cases prove an algorithm.
#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "interpret/verify.hpp"

namespace roundelay {

namespace {

Units least_exact(int p) {
  const auto ranks = static_cast<unsigned>(p);
  return static_cast<Units>(std::lcm(ranks, std::bit_floor(ranks)));
}

std::set<int> roots_of(Collective collective, int p) {
  if (!rooted(collective)) return {0};
  if (p > 17) return {0, 1, p / 2, p - 1};
  std::set<int> roots;
  for (int root = 0; root < p; ++root) roots.insert(root);
  return roots;
}

std::vector<Units> lengths_of(Collective collective, int p) {
  const Units exact = exact_length(collective, p);
  if (collective == Collective::barrier || p > 40) return {exact};
  return {exact, 0, 1, p - 1, 2 * p + 3};
}

std::string text(const Case& of) {
  return "p = " + std::to_string(of.p) + ", root = " + std::to_string(of.root) +
         ", m = " + std::to_string(of.m) + (of.commutative ? "" : ", not commutative") +
         (of.in_place ? ", in place" : "");
}

}  // namespace

Units exact_length(Collective collective, int p) {
  return collective == Collective::barrier ? 0 : 2 * least_exact(p);
}

bool claims_are_exact(Collective collective, int p, Units m) {
  return collective == Collective::barrier || (m > 0 && m % least_exact(p) == 0);
}

std::vector<Case> cases_of(const Choice& choice, int p) {
  const Collective collective = choice.algorithm->collective;
  std::vector<Case> cases;
  for (const bool commutative : {true, false}) {
    if (!commutative && !reduces(collective)) continue;
    if (violated(choice, p, commutative) != nullptr) continue;
    for (const bool in_place : {false, true}) {
      if (in_place && collective != Collective::reduce) continue;
      for (const int root : roots_of(collective, p)) {
        for (const Units m : lengths_of(collective, p)) {
          cases.push_back(
              {.p = p, .root = root, .m = m, .commutative = commutative, .in_place = in_place});
        }
      }
    }
  }
  return cases;
}

Proof prove(const Choice& choice, int p) {
  Proof proven;
  proven.ok = true;
  const std::vector<Case> cases = cases_of(choice, p);
  for (const Case& of : cases) {
    Proof proof = verify(choice, of);
    if (!proof.ok) {
      proof.error = text(of) + ": " + proof.error;
      return proof;
    }
    if (of.m != cases.front().m) continue;
    proven.rounds = std::max(proven.rounds, proof.rounds);
    proven.volume = std::max(proven.volume, proof.volume);
  }
  if (cases.empty()) return proven;
  if (const std::string error = claim_error(choice, cases.front(), proven, false); !error.empty()) {
    proven.ok = false;
    proven.error = "p = " + std::to_string(p) + ", m = " + std::to_string(cases.front().m) +
                   ", the worst of the roots: " + error;
  }
  return proven;
}

}  // namespace roundelay
