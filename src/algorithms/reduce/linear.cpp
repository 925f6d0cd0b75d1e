// SPDX-License-Identifier: Apache-2.0
// reduce.linear: the root receives from every rank and combines in the order of the ranks.
//
// Open MPI (basic linear). p - 1 messages of m units at the root, one after the other: for short
// messages of few ranks, and for any operation.
//
//   p = 4, root 1:   round 0: 3 -> 1, rounds 1 and 2: 2 -> 1 and 0 -> 1, which combines
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/rank_order.hpp"

namespace roundelay {
namespace {

Schedule linear(Group g, int root, Slice input, Slice data, Slice scratch) {
  if (g.rank == root) {
    co_yield all(combine_in_rank_order(g, input, data, scratch, recv));
  } else {
    co_yield round(send(input, g[root]));
  }
}

const Registered entry{{
    .collective = Collective::reduce,
    .name = "linear",
    .summary = "The root receives all contributions and combines them in rank order.",
    .paper = "Open MPI, basic linear",
    .fixed_order = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula all = (p() - 1) * m();
      return {.scratch = if_many(3 * m()), .rounds = p() - 1, .volume = all};
    },
    .schedule =
        [](const Problem& x) { return linear(x.group, x.root, x.input, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
