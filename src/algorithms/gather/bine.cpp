// SPDX-License-Identifier: Apache-2.0
// gather.bine: every rank collects the blocks of its subtree, first from near ranks, and passes
// them on together.
//
// De Sensi et al. 2025, Bine Trees (SC'25, arXiv:2508.17311): the blocks of a subtree of bcast.bine
// follow each other. ceil(log2 p) rounds and m (p - 1) / p units at the root as binomial, over 2/3
// of the distance: for short blocks, and networks whose groups of nodes have few links between
// them. Where p is no power of two, the first ranks are folded in pairs, whose second tells first.
//
//   p = 11, root 0:   round 0: 1 -> 0 (block 1)   3 -> 2 (3)   5 -> 4 (5)
//                     round 1: 2 -> 0 (blocks 2 3)   4 -> 6 (4 5)   8 -> 7 (8)   9 -> 10 (9)
//                     round 2: 10 -> 0 (blocks 9 10)   7 -> 6 (7 8)
//                     round 3: 6 -> 0 (blocks 4 to 8)
#include "algorithms/parts/bine.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule bine(Group g, int root, Slice input, Blocks blocks, Slice scratch) {
  const Subgroup counted = g.rooted(root);
  const int pairs = pairs_beside_tree(counted.size);
  const bool paired = counted.rank < 2 * pairs;
  if (paired && counted.rank % 2 == 1) {
    co_yield round(send(input, counted.left()));
    co_return;
  }
  const Subgroup t = counted.folded(pairs, 0);
  const BineTree tree(t.rank, t.size);
  const TreeBlocks of_tree(blocks, root);
  const BineSubtree subtree(tree, t.rank, of_tree, scratch);
  if (paired) co_yield round(recv(subtree.of_second(), counted.right()));
  for (int j = 1; j < tree.level(); ++j) {
    co_yield round(recv(subtree.of_child(j), t[tree.partner(j)]));
  }
  if (t.rank == 0) co_return;
  SliceRoom room;
  co_yield round(send(subtree.with(input, room), t[tree.partner(tree.level())]));
}

const Registered entry{{
    .collective = Collective::gather,
    .name = "bine",
    .summary = "Every rank collects the blocks of its subtree, from near ranks first, and sends "
               "them on together.",
    .paper = "De Sensi et al. 2025, Bine Trees: Enhancing Collective Operations by Optimizing "
             "Communication Locality",
    .claims = [](const Choice& /*choice*/) { return bine_tree_claims(); },
    .schedule =
        [](const Problem& x) { return bine(x.group, x.root, x.input, x.blocks, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
