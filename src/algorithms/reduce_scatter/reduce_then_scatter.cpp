// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.reduce_then_scatter: the partial results go up a binomial tree to rank 0, and the
// blocks of the result go down again.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.4: what was done before the others.
// 2 ceil(log2 p) rounds, of m units up and of m (p - 1) / p in all down. Every partial result is of
// consecutive ranks: for any operation.
//
//   p = 5:   round 0: 1 -> 0   3 -> 2
//            round 1: 2 -> 0
//            round 2: 4 -> 0
//            round 3: 0 -> 4 (block 4)
//            round 4: 0 -> 2 (blocks 2 3)
//            round 5: 0 -> 1 (block 1)   2 -> 3 (block 3)
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/binomial.hpp"

namespace roundelay {
namespace {

Schedule reduce_then_scatter(Group g, Slice input, Blocks blocks, Slice scratch) {
  co_yield all(binomial_reduce(g, 0, input, blocks.whole(), scratch));
  co_yield all(binomial_scatter(g, blocks));
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "reduce_then_scatter",
     .summary = "Partial results are combined up a binomial tree to rank 0, which scatters the "
                "result down the tree.",
     .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.4",
     .fixed_order = true,
     .common = true,
     .claims = [](const Choice& /*choice*/) -> Claims {
       const Formula q = ceil_log2(p());
       return {.scratch = if_many(m()), .rounds = 2 * q, .volume = q * m()};
     },
     .schedule =
         [](const Problem& x) {
           return reduce_then_scatter(x.group, x.input, x.blocks, x.scratch);
         }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
