// SPDX-License-Identifier: Apache-2.0
// scatter.binomial: every rank passes on, subtree by subtree, the blocks of the ranks below it.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.2. ceil(log2 p) rounds and m (p - 1) / p units at the
// root: for short blocks. With a greater `radix` k, the k-nomial tree (Wilkins et al. 2023): fewer
// rounds of k - 1 messages at once. The root sends from where the blocks are; a rank receives its
// own block where it shall be and those of the ranks below it, in their order from the root on, in
// scratch memory.
//
//   p = 6, root 0:   round 0: 0 -> 4 (blocks 4 5)
//                    round 1: 0 -> 2 (blocks 2 3)   4 -> 5 (5)
//                    round 2: 0 -> 1 (block 1)      2 -> 3 (3)
//   radix 3:         round 0: 0 -> 3 (blocks 3 4 5)
//                    round 1: 0 -> 1 2 (blocks 1 2)   3 -> 4 5 (4 5)
#include "algorithms/parts/binomial.hpp"

#include <algorithm>

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule binomial(Group g, int root, Slice data, Blocks blocks, Slice scratch, int radix) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const int p = t.size;
  const int span = binomial_span(v, p, radix);
  SliceRoom unused;  // blocks are even
  const auto run = [&](int first, int count) {
    return blocks.run(root + first, std::min(count, p - first), unused);
  };
  // Units of the ranks below this one that it still has.
  Units below = v + 1 < p ? run(v + 1, span - 1).length() : 0;
  if (v > 0) {
    Slices subtree = data;
    subtree.add(scratch.part(0, below));
    co_yield round(recv(subtree, t[binomial_parent(v, span, radix)]));
  }
  RoundList list;
  for (int d = span / radix; d > 0; d /= radix) {
    list.clear();
    for (int j = (radix - 1) * d; j > 0; j -= d) {
      if (v + j >= p) continue;
      const Slices theirs = run(v + j, d);
      below -= theirs.length();
      const Slices place = v == 0 ? theirs : scratch.part(below, theirs.length());
      list.add(send(place, t[v + j]));
    }
    if (!list.empty()) co_yield list;
  }
}

const Registered entry{{
    .collective = Collective::scatter,
    .name = "binomial",
    .summary =
        "Every rank receives the blocks of its subtree and passes on those of the ranks below it.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.2; Wilkins et al. 2023",
    .parameters = {radix_parameter()},
    .common = true,
    .claims = [](const Choice& choice) { return binomial_claims(radix_of(choice)); },
    .schedule =
        [](const Problem& x) {
          return binomial(x.group, x.root, x.data, x.blocks, x.scratch, radix_of(*x.choice));
        },
}};

}  // namespace
}  // namespace roundelay
