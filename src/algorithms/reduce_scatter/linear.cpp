// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.linear: every rank sends each other one its contribution to that one's block,
// which combines them in the order of the ranks.
//
// The first half of the allreduce of DeepSpeed inside a node (DeepSpeed 5391). p rounds,
// m (p - 1) / p units each way: for short blocks, and for any operation.
//
//   p = 4, rank 1:   round 0: sends blocks 2, 3 and 0 to 2, 3 and 0
//                    round 1: receives 1 from 3
//                    round 2: receives 1 from 2 and combines, then combines its own
//                    round 3: receives 1 from 0 and combines
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/rank_order.hpp"

namespace roundelay {
namespace {

Schedule linear(Group g, Blocks input, Slice mine, Slice scratch) {
  constexpr Fence taken = 1;
  co_yield contributions(g, input, taken);
  co_yield all(combine_in_rank_order(g, input[g.rank], mine, scratch, recv));
  co_yield fence(taken);
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "linear",
     .summary = "Every rank sends its contributions straight to the ranks whose blocks they are, "
                "which combine them in rank order.",
     .paper = "DeepSpeed, inside a node",
     .fixed_order = true,
     .claims = [](const Choice& /*choice*/) -> Claims {
       const Formula once = m() * (p() - 1) / p();
       return {.scratch = if_many(3 * longest_block()),
               .rounds = if_many(p()),
               .volume = once,
               .ports = max(1, p() - 1)};
     },
     .schedule =
         [](const Problem& x) {
           return linear(x.group, x.blocks.over(x.input), x.blocks[x.group.rank], x.scratch);
         }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
