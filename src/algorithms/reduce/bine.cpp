// SPDX-License-Identifier: Apache-2.0
// reduce.bine: partial results meet in pairs on the way up a tree, first those of near ranks.
//
// De Sensi et al. 2025, Bine Trees (SC'25, arXiv:2508.17311): bcast.bine backwards. ceil(log2 p)
// rounds of m units as binomial, over 2/3 of the distance: for short messages, and networks whose
// groups of nodes have few links between them. Where p is no power of two, the first ranks are
// folded in pairs, whose second tells first. Ranks are combined as they are met: for commutative
// operations.
//
//   p = 11, root 0, of pairs 0 1, 2 3, 4 5:   round 0: 1 -> 0   3 -> 2   5 -> 4
//                                             round 1: 2 -> 0   4 -> 6   8 -> 7   9 -> 10
//                                             round 2: 10 -> 0   7 -> 6
//                                             round 3: 6 -> 0
#include "algorithms/parts/bine.hpp"

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/accumulator.hpp"

namespace roundelay {
namespace {

Schedule bine(Group g, int root, Slice input, Slice data, Slice scratch) {
  const Subgroup counted = g.rooted(root);
  const int pairs = pairs_beside_tree(counted.size);
  const bool paired = counted.rank < 2 * pairs;
  if (paired && counted.rank % 2 == 1) {
    co_yield round(send(input, counted.left()));
    co_return;
  }
  const Subgroup t = counted.folded(pairs, 0);
  const BineTree tree(t.rank, t.size);
  const int combinations = tree.level() - 1 + (paired ? 1 : 0);
  Accumulator x(input, data, scratch, combinations % 2 == 1);
  if (paired) {
    co_yield round(recv(x.theirs(), counted.right()), combine(x.mine(), x.theirs()));
    x.combined();
  }
  for (int j = 1; j < tree.level(); ++j) {
    co_yield round(recv(x.theirs(), t[tree.partner(j)]), combine(x.mine(), x.theirs()));
    x.combined();
  }
  if (t.rank != 0) {
    co_yield round(send(x.mine(), t[tree.partner(tree.level())]));
  } else if (x.mine() != data) {
    co_yield round(copy(x.mine(), data));
  }
}

const Registered entry{{
    .collective = Collective::reduce,
    .name = "bine",
    .summary = "Partial results are combined in pairs on the way up a tree, near ranks first.",
    .paper = "De Sensi et al. 2025, Bine Trees: Enhancing Collective Operations by Optimizing "
             "Communication Locality",
    .restrictions = {Restriction::commutative},
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula q = ceil_log2(p());
      return {.scratch = if_many(m()), .rounds = q, .volume = q * m()};
    },
    .schedule = [](const Problem& x) { return bine(x.group, x.root, x.input, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
