// SPDX-License-Identifier: Apache-2.0
// bcast.bine: who has the message passes it on, first far, now on the one side and now on the
// other.
//
// De Sensi et al. 2025, Bine Trees (SC'25, arXiv:2508.17311), the tree with halved distances.
// ceil(log2 p) rounds of m units as binomial, over 2/3 of the distance: for short messages, and
// networks whose groups of nodes have few links between them. Where p is no power of two, the first
// ranks are folded in pairs, whose second hears last.
//
//   p = 11, root 0, of pairs 0 1, 2 3, 4 5:   round 0: 0 -> 6      (8 are in the tree)
//                                             round 1: 0 -> 10   6 -> 7
//                                             round 2: 0 -> 2   6 -> 4   7 -> 8   10 -> 9
//                                             round 3: 0 -> 1   2 -> 3   4 -> 5
#include "algorithms/parts/bine.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule bine(Group g, int root, Slice data) {
  const Subgroup counted = g.rooted(root);
  const int pairs = pairs_beside_tree(counted.size);
  const bool paired = counted.rank < 2 * pairs;
  if (paired && counted.rank % 2 == 1) {
    co_yield round(recv(data, counted.left()));
    co_return;
  }
  const Subgroup t = counted.folded(pairs, 0);
  const BineTree tree(t.rank, t.size);
  if (t.rank != 0) co_yield round(recv(data, t[tree.partner(tree.level())]));
  for (int j = tree.level() - 1; j > 0; --j) co_yield round(send(data, t[tree.partner(j)]));
  if (paired) co_yield round(send(data, counted.right()));
}

const Registered entry{{
    .collective = Collective::bcast,
    .name = "bine",
    .summary =
        "Ranks that have the message send it on, to far ranks first, in alternating directions.",
    .paper = "De Sensi et al. 2025, Bine Trees: Enhancing Collective Operations by Optimizing "
             "Communication Locality",
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula q = ceil_log2(p());
      return {.rounds = q, .volume = q * m()};
    },
    .schedule = [](const Problem& x) { return bine(x.group, x.root, x.data); },
}};

}  // namespace
}  // namespace roundelay
