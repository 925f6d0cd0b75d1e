// SPDX-License-Identifier: Apache-2.0
// gather.binomial: every rank collects the blocks of its subtree and passes them on together.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.2, backwards. ceil(log2 p) rounds and m (p - 1) / p
// units at the root: for short blocks. A rank sends its own block from where it is and those of the
// ranks below it, in their order from the root on, from scratch memory; the root receives in place.
//
//   p = 6, root 0:   round 0: 1 -> 0 (block 1)   3 -> 2 (3)   5 -> 4 (5)
//                    round 1: 2 -> 0 (blocks 2 3)
//                    round 2: 4 -> 0 (blocks 4 5)
#include "algorithms/parts/binomial.hpp"

#include <algorithm>

#include "algorithms/catalogue.hpp"

namespace roundelay {

Claims binomial_claims(const Choice& /*choice*/) {
  const Formula q = ceil_log2(p());
  const Formula half = exp2(q - 1);
  const Formula volume = m() * (p() - 1) / p();
  return {.scratch = if_many((max(p() - half, half / 2) - 1) * longest_block()),
          .rounds = q,
          .volume = volume};
}

Schedule binomial_gather(Group g, int root, Slice input, Blocks blocks, Slice scratch) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const int p = t.size;
  const int span = binomial_span(v, p);
  SliceRoom unused;  // blocks are even
  Units below = 0;   // units of the ranks below this one
  for (int d = 1; d < span && v + d < p; d *= 2) {
    const Slices theirs = blocks.run(root + v + d, std::min(d, p - v - d), unused);
    const Slices place = v == 0 ? theirs : scratch.part(below, theirs.length());
    below += theirs.length();
    co_yield round(recv(place, t[v + d]));
  }
  if (v == 0) co_return;
  Slices subtree = input;
  subtree.add(scratch.part(0, below));
  co_yield round(send(subtree, t[v - span]));
}

namespace {

const Registered entry{{
    .collective = Collective::gather,
    .name = "binomial",
    .summary = "Every rank collects the blocks of its subtree and passes them on together.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.2",
    .common = true,
    .claims = binomial_claims,
    .schedule =
        [](const Problem& x) {
          return binomial_gather(x.group, x.root, x.input, x.blocks, x.scratch);
        },
}};

}  // namespace
}  // namespace roundelay
