// SPDX-License-Identifier: Apache-2.0
// allreduce.reduce_then_bcast: the partial results go up a binomial tree to rank 0, and the result
// goes down again.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.5: what was done before the others. 2 ceil(log2 p)
// rounds of m units. Every partial result is of consecutive ranks and one rank finishes it: for any
// operation, with the same bits everywhere.
//
//   p = 5:   round 0: 1 -> 0   3 -> 2
//            round 1: 2 -> 0
//            round 2: 4 -> 0
//            then bcast.binomial from rank 0
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/binomial.hpp"

namespace roundelay {
namespace {

Schedule reduce_then_bcast(Group g, Slice input, Slice data, Slice scratch) {
  co_yield all(binomial_reduce(g, 0, input, data, scratch));
  co_yield all(binomial_bcast(g, 0, data));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "reduce_then_bcast",
    .summary = "Partial results are combined up a binomial tree to rank 0, and the result is "
               "broadcast down the tree.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
    .fixed_order = true,
    .common = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula q = ceil_log2(p());
      return {.scratch = if_many(m()), .rounds = 2 * q, .volume = q * m()};
    },
    .schedule =
        [](const Problem& x) { return reduce_then_bcast(x.group, x.input, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
