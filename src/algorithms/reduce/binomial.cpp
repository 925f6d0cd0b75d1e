// SPDX-License-Identifier: Apache-2.0
// reduce.binomial: partial results meet in pairs on the way up a binomial tree.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.5. ceil(log2 p) rounds of m units: best for short
// messages. With a greater `radix` k, the k-nomial tree (Wilkins et al. 2023): fewer rounds of
// k - 1 messages at once. Ranks are combined in cyclic order from the root: for commutative
// operations.
//
//   p = 5, root 0:   round 0: 1 -> 0   3 -> 2
//                    round 1: 2 -> 0
//                    round 2: 4 -> 0
//   radix 3:         round 0: 1 2 -> 0   4 -> 3
//                    round 1: 3 -> 0
#include "algorithms/parts/binomial.hpp"

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/accumulator.hpp"

namespace roundelay {

Schedule binomial_reduce(Group g, int root, Slice input, Slice data, Slice scratch, int radix) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const int span = binomial_span(v, t.size, radix);
  const Units m = input.length();
  bool odd = false;
  for (int d = 1; d < span; d *= radix) odd = !odd;
  Accumulator x(input, data, scratch, odd);
  RoundList list;
  for (int d = 1; d < span && v + d < t.size; d *= radix) {
    list.clear();
    Slice lower = x.mine();
    for (int j = 1; j < radix && v + j * d < t.size; ++j) {
      const bool last = j + 1 == radix || v + (j + 1) * d >= t.size;
      const Slice higher = last ? x.theirs() : scratch.part(j * m, m);
      list.add(recv(higher, t[v + j * d])).add(combine(lower, higher));
      lower = higher;
    }
    co_yield list;
    x.combined();
  }
  if (v > 0) {
    co_yield round(send(x.mine(), t[binomial_parent(v, span, radix)]));
  } else if (x.mine() != data) {
    co_yield round(copy(x.mine(), data));
  }
}

namespace {

const Registered entry{{
    .collective = Collective::reduce,
    .name = "binomial",
    .summary = "Partial results are combined in pairs on the way up a binomial tree.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.5; Wilkins et al. 2023",
    .restrictions = {Restriction::commutative},
    .parameters = {radix_parameter()},
    .common = true,
    .claims = [](const Choice& choice) -> Claims {
      const int radix = radix_of(choice);
      return {.scratch = if_many((radix - 1) * m()),
              .rounds = binomial_rounds(radix),
              .volume = binomial_messages(radix) * m(),
              .ports = radix - 1};
    },
    .schedule =
        [](const Problem& x) {
          return binomial_reduce(x.group, x.root, x.input, x.data, x.scratch, radix_of(*x.choice));
        },
}};

}  // namespace
}  // namespace roundelay
