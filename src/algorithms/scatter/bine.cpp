// SPDX-License-Identifier: Apache-2.0
// scatter.bine: every rank passes on, subtree by subtree, the blocks of the ranks below it, first
// to far ones.
//
// De Sensi et al. 2025, Bine Trees (SC'25, arXiv:2508.17311): gather.bine backwards. ceil(log2 p)
// rounds and m (p - 1) / p units at the root as binomial, over 2/3 of the distance: for short
// blocks, and networks whose groups of nodes have few links between them. Where p is no power of
// two, the first ranks are folded in pairs, whose second hears last.
//
//   p = 11, root 0:   round 0: 0 -> 6 (blocks 4 to 8)
//                     round 1: 0 -> 10 (blocks 9 10)   6 -> 7 (7 8)
//                     round 2: 0 -> 2 (blocks 2 3)   6 -> 4 (4 5)   7 -> 8 (8)   10 -> 9 (9)
//                     round 3: 0 -> 1 (block 1)   2 -> 3 (3)   4 -> 5 (5)
#include "algorithms/parts/bine.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule bine(Group g, int root, Slice data, Blocks blocks, Slice scratch) {
  const Subgroup counted = g.rooted(root);
  const int pairs = pairs_beside_tree(counted.size);
  const bool paired = counted.rank < 2 * pairs;
  if (paired && counted.rank % 2 == 1) {
    co_yield round(recv(data, counted.left()));
    co_return;
  }
  const Subgroup t = counted.folded(pairs, 0);
  const BineTree tree(t.rank, t.size);
  const TreeBlocks of_tree(blocks, root);
  const BineSubtree subtree(tree, t.rank, of_tree, scratch);
  if (t.rank != 0) {
    SliceRoom room;
    co_yield round(recv(subtree.with(data, room), t[tree.partner(tree.level())]));
  }
  for (int j = tree.level() - 1; j > 0; --j) {
    co_yield round(send(subtree.of_child(j), t[tree.partner(j)]));
  }
  if (paired) co_yield round(send(subtree.of_second(), counted.right()));
}

const Registered entry{{
    .collective = Collective::scatter,
    .name = "bine",
    .summary = "Every rank receives the blocks of its subtree and passes on those of the ranks "
               "below it, far ranks first.",
    .paper = "De Sensi et al. 2025, Bine Trees: Enhancing Collective Operations by Optimizing "
             "Communication Locality",
    .claims = [](const Choice& /*choice*/) { return bine_tree_claims(); },
    .schedule = [](const Problem& x) { return bine(x.group, x.root, x.data, x.blocks, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
