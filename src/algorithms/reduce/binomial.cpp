// SPDX-License-Identifier: Apache-2.0
// reduce.binomial: partial results meet in pairs on the way up a binomial tree.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.5. ceil(log2 p) rounds of m units: best for short
// messages. Ranks are combined in cyclic order from the root: for commutative operations.
//
//   p = 5, root 0:   round 0: 1 -> 0   3 -> 2
//                    round 1: 2 -> 0
//                    round 2: 4 -> 0
#include "algorithms/parts/binomial.hpp"

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/accumulator.hpp"

namespace roundelay {

Schedule binomial_reduce(Group g, int root, Slice input, Slice data, Slice scratch) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const int span = binomial_span(v, t.size);
  const bool odd = std::countr_zero(static_cast<unsigned>(span)) % 2 == 1;
  Accumulator x(input, data, scratch, odd);
  for (int d = 1; d < span && v + d < t.size; d *= 2) {
    co_yield round(recv(x.theirs(), t[v + d]), combine(x.mine(), x.theirs()));
    x.combined();
  }
  if (v > 0) {
    co_yield round(send(x.mine(), t[v - span]));
  } else if (x.mine() != data) {
    co_yield round(copy(x.mine(), data));
  }
}

namespace {

const Registered entry{{
    .collective = Collective::reduce,
    .name = "binomial",
    .summary = "Partial results meet in pairs on the way up a binomial tree.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
    .restrictions = {Restriction::commutative},
    .common = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula q = ceil_log2(p());
      return {.scratch = if_many(m()), .rounds = q, .volume = q * m()};
    },
    .schedule =
        [](const Problem& x) {
          return binomial_reduce(x.group, x.root, x.input, x.data, x.scratch);
        },
}};

}  // namespace
}  // namespace roundelay
