// SPDX-License-Identifier: Apache-2.0
// reduce.ring: every block collects all contributions on its way around the ring, then the root
// gathers them up a binomial tree.
//
// Thakur, Rabenseifner, Gropp 2005, section 5.3, with the gathering of section 5.1.
// p - 1 + ceil(log2 p) rounds, 2 m (p - 1) / p units: for very long messages on a network of
// neighbours. Block b is combined in the order of ranks b + 1, b + 2, .., b (modulo p): for
// commutative operations.
//
//   p = 5, root 0, rank 2:   round 0: sends block 1, receives 0 and combines
//                            round 1: sends block 0, receives 4 and combines
//                            round 2: sends block 4, receives 3 and combines
//                            round 3: sends block 3, receives 2 and combines: block 2 is done
//                            round 4: receives block 3 from 3
//                            round 5: sends blocks 2 3 to 0
#include "algorithms/parts/ring.hpp"

#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/binomial.hpp"

namespace roundelay {
namespace {

// Every rank has the memory of all blocks and begins with its own.
Schedule binomial_gather(Group g, int root, Blocks blocks) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const int p = t.size;
  const int span = binomial_span(v, p);
  SliceRoom room;
  const auto below = [&](int first, int its_span) {
    return blocks.run(root + first, std::min(its_span, p - first), room);
  };
  for (int d = 1; d < span && v + d < p; d *= 2) {
    co_yield round(recv(below(v + d, d), t[v + d]));
  }
  if (v > 0) co_yield round(send(below(v, span), t[v - span]));
}

Schedule ring(Group g, int root, Slice input, Slice data, Slice scratch) {
  const Blocks result = Blocks::even(data, g.size);
  co_yield all(ring_reduce_scatter(g, result.over(input), result, scratch));
  co_yield all(binomial_gather(g, root, result));
}

const Registered entry{{
    .collective = Collective::reduce,
    .name = "ring",
    .summary = "Each block travels around the ring and is combined at every rank; then the root "
               "gathers the blocks up a binomial tree.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 5.3",
    .restrictions = {Restriction::commutative},
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula rounds = p() - 1 + ceil_log2(p());
      const Formula once = m() * (p() - 1) / p();
      return {.scratch = if_many(2 * ceil(m() / p())), .rounds = rounds, .volume = 2 * once};
    },
    .schedule = [](const Problem& x) { return ring(x.group, x.root, x.input, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
