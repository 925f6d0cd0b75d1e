// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/binomial.hpp"

#include <algorithm>

namespace roundelay {

namespace {

int depth(int p, int radix) {
  int rounds = 0;
  for (int span = binomial_span(0, p, radix); span > 1; span /= radix) ++rounds;
  return rounds;
}

// The root's children, of which only the uppermost level may be incomplete.
int children(int p, int radix) {
  const int below = binomial_span(0, p, radix) / radix;
  return below == 0 ? 0 : (depth(p, radix) - 1) * (radix - 1) + (p - 1) / below;
}

// Ranks of the greatest subtree of a rank other than the root.
int greatest_subtree(int p, int radix) {
  const int below = binomial_span(0, p, radix) / radix;
  return below == 0 ? 0 : std::max(std::min(below, p - below), below / radix);
}

}  // namespace

Formula binomial_rounds(int radix) { return of_radix(radix, ceil_log2(p()), "depth", depth); }

Formula binomial_messages(int radix) {
  return of_radix(radix, ceil_log2(p()), "children", children);
}

Claims binomial_claims(int radix) {
  const Formula half = exp2(ceil_log2(p()) - 1);
  const Formula subtree = of_radix(radix, max(p() - half, half / 2), "subtree", greatest_subtree);
  const Formula volume = m() * (p() - 1) / p();
  return {.scratch = if_many((subtree - 1) * longest_block()),
          .rounds = binomial_rounds(radix),
          .volume = volume,
          .ports = radix - 1};
}

}  // namespace roundelay
