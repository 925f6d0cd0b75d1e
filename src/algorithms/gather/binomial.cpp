// SPDX-License-Identifier: Apache-2.0
// gather.binomial: every rank collects the blocks of its subtree and passes them on together.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.2, backwards. ceil(log2 p) rounds and m (p - 1) / p
// units at the root: for short blocks. With a greater `radix` k, the k-nomial tree (Wilkins et al.
// 2023): fewer rounds of k - 1 messages at once. A rank sends its own block from where it is and
// those of the ranks below it, in their order from the root on, from scratch memory; the root
// receives in place.
//
//   p = 6, root 0:   round 0: 1 -> 0 (block 1)   3 -> 2 (3)   5 -> 4 (5)
//                    round 1: 2 -> 0 (blocks 2 3)
//                    round 2: 4 -> 0 (blocks 4 5)
//   radix 3:         round 0: 1 2 -> 0 (blocks 1 2)   4 5 -> 3 (4 5)
//                    round 1: 3 -> 0 (blocks 3 4 5)
#include "algorithms/parts/binomial.hpp"

#include <algorithm>

#include "algorithms/catalogue.hpp"

namespace roundelay {

Schedule binomial_gather(Group g, int root, Slice input, Blocks blocks, Slice scratch, int radix) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const int p = t.size;
  const int span = binomial_span(v, p, radix);
  SliceRoom unused;  // blocks are even
  Units below = 0;   // units of the ranks below this one
  RoundList list;
  for (int d = 1; d < span && v + d < p; d *= radix) {
    list.clear();
    for (int j = d; j < radix * d && v + j < p; j += d) {
      const Slices theirs = blocks.run(root + v + j, std::min(d, p - v - j), unused);
      const Slices place = v == 0 ? theirs : scratch.part(below, theirs.length());
      below += theirs.length();
      list.add(recv(place, t[v + j]));
    }
    co_yield list;
  }
  if (v == 0) co_return;
  Slices subtree = input;
  subtree.add(scratch.part(0, below));
  co_yield round(send(subtree, t[binomial_parent(v, span, radix)]));
}

namespace {

const Registered entry{{
    .collective = Collective::gather,
    .name = "binomial",
    .summary = "Every rank collects the blocks of its subtree and sends them on together.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.2; Wilkins et al. 2023",
    .parameters = {radix_parameter()},
    .common = true,
    .claims = [](const Choice& choice) { return binomial_claims(radix_of(choice)); },
    .schedule =
        [](const Problem& x) {
          return binomial_gather(x.group, x.root, x.input, x.blocks, x.scratch,
                                 radix_of(*x.choice));
        },
}};

}  // namespace
}  // namespace roundelay
