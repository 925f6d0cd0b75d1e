// SPDX-License-Identifier: Apache-2.0
// bcast.postal: who has the message sends it on and on, to as many as can be reached in time.
//
// Bar-Noy, Kipnis 1992, Designing broadcasting algorithms in the postal model for message-passing
// systems. Where a rank is free again long before its message arrives, the tree that is optimal for
// the ratio of the two (the parameter `latency`): flat where that is great, the
// binomial one where it is 1. For short messages.
//
//   p = 6, latency 2, root 0:   step 0: 0 -> 3
//                               step 1: 0 -> 2
//                               step 2: 0 -> 1   3 -> 5
//                               step 3:          3 -> 4
#include "algorithms/parts/postal.hpp"

namespace roundelay {
namespace {

Schedule postal(Group g, int root, Slice data, PostalTree tree) {
  const Subgroup t = g.rooted(root);
  const PostalTree::Place place = tree.place(t.rank);
  if (place.parent >= 0) co_yield round(recv(data, t[place.parent]));
  for (const int child : place.children) co_yield round(send(data, t[child]));
}

const Registered entry{{
    .collective = Collective::bcast,
    .name = "postal",
    .summary =
        "Ranks that have the message keep sending it on, in the tree that suits the latency.",
    .paper = "Bar-Noy, Kipnis 1992, Designing broadcasting algorithms in the postal model",
    .parameters = {latency_parameter()},
    .claims = postal_claims,
    .schedule = [](const Problem& x) { return postal(x.group, x.root, x.data, postal_tree(x)); },
}};

}  // namespace
}  // namespace roundelay
