// SPDX-License-Identifier: Apache-2.0
// reduce.postal: the steps of bcast.postal backwards; from where the message would come, the
// partial result goes.
//
// Karp, Sahay, Santos, Schauser 1993, Optimal broadcast and summation in the LogP model, for one
// operand a rank. For short messages. Ranks are combined in cyclic order from the root: for
// commutative operations.
//
//   p = 6, latency 2, root 0:   step 0:          4 -> 3
//                               step 1: 1 -> 0   5 -> 3
//                               step 2: 2 -> 0
//                               step 3: 3 -> 0
#include "algorithms/parts/postal.hpp"

#include <ranges>

#include "algorithms/parts/accumulator.hpp"

namespace roundelay {
namespace {

Schedule postal(Group g, int root, Slice input, Slice data, Slice scratch, PostalTree tree) {
  const Subgroup t = g.rooted(root);
  const PostalTree::Place place = tree.place(t.rank);
  Accumulator x(input, data, scratch, place.children.size() % 2 == 1);
  for (const int child : place.children | std::views::reverse) {
    co_yield round(recv(x.theirs(), t[child]), combine(x.mine(), x.theirs()));
    x.combined();
  }
  if (place.parent >= 0) {
    co_yield round(send(x.mine(), t[place.parent]));
  } else if (x.mine() != data) {
    co_yield round(copy(x.mine(), data));
  }
}

const Registered entry{{
    .collective = Collective::reduce,
    .name = "postal",
    .summary = "The steps of bcast.postal in reverse order: partial results go up the tree.",
    .paper =
        "Karp, Sahay, Santos, Schauser 1993, Optimal broadcast and summation in the LogP model",
    .restrictions = {Restriction::commutative},
    .parameters = {latency_parameter()},
    .claims = [](const Choice& choice) -> Claims {
      Claims claims = postal_claims(choice);
      claims.scratch = if_many(m());
      return claims;
    },
    .schedule =
        [](const Problem& x) {
          return postal(x.group, x.root, x.input, x.data, x.scratch, postal_tree(x));
        },
}};

}  // namespace
}  // namespace roundelay
