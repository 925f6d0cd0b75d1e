// SPDX-License-Identifier: Apache-2.0
// reduce.ordered: a binomial tree in the order of the ranks, whose result then goes to the root.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.5. ceil(log2 p) rounds of m units, and one more if
// the root is not rank 0. Every partial result is of consecutive ranks: for any operation.
//
//   p = 5, root 3:   round 0: 1 -> 0   3 -> 2
//                    round 1: 2 -> 0
//                    round 2: 4 -> 0
//                    round 3: 0 -> 3
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/binomial.hpp"

namespace roundelay {
namespace {

Schedule ordered(Group g, int root, Slice input, Slice data, Slice scratch) {
  co_yield all(binomial_reduce(g, 0, input, data, scratch));
  if (root == 0) co_return;
  if (g.rank == 0) co_yield round(send(data, g[root]));
  if (g.rank == root) co_yield round(recv(data, g[0]));
}

const Registered entry{{
    .collective = Collective::reduce,
    .name = "ordered",
    .summary = "Partial results are combined in rank order up a binomial tree; then the result "
               "goes to the root.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
    .fixed_order = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula q = ceil_log2(p());
      const Formula rounds = if_many(q + 1);
      return {.scratch = if_many(m()), .rounds = rounds, .volume = q * m()};
    },
    .schedule =
        [](const Problem& x) { return ordered(x.group, x.root, x.input, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
