// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.pairwise: every rank sends each other one its contribution to that one's block.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.4. p - 1 rounds, m (p - 1) / p units each way: no
// algorithm moves less; for long messages. Every contribution travels once and is combined where
// its block is wanted, in the order of ranks r - 1, r - 2, .. (modulo p): for commutative
// operations.
//
//   p = 5, rank 2:   round 0: sends block 3 to 3, receives 2 from 1 and combines
//                    round 1: sends block 4 to 4, receives 2 from 0 and combines
//                    round 2: sends block 0 to 0, receives 2 from 4 and combines
//                    round 3: sends block 1 to 1, receives 2 from 3 and combines
#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule pairwise(Group g, Blocks input, Slice mine, Slice scratch) {
  const int r = g.rank;
  const Slice own = input[r];
  if (g.size == 1 && own != mine) co_yield round(copy(own, mine));
  for (int i = 1; i < g.size; ++i) {
    const Transfer sent = send(input[r + i], g[r + i]);
    // Two scratch blocks take turns, so that a block may arrive while the one before is combined.
    const Slice theirs = scratch.part(i % 2 * mine.length(), mine.length());
    if (i == 1 && own != mine) {
      co_yield round(sent, recv(mine, g[r - i]), combine(own, mine));
    } else {
      co_yield round(sent, recv(theirs, g[r - i]), combine(theirs, mine));
    }
  }
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "pairwise",
     .summary = "In each round every rank sends its contribution to one rank's block straight to "
                "that rank.",
     .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.4",
     .restrictions = {Restriction::commutative},
     .common = true,
     .claims = [](const Choice& /*choice*/) -> Claims {
       const Formula once = m() * (p() - 1) / p();
       return {.scratch = if_many(2 * longest_block()),
               .rounds = p() - 1,
               .volume = once,
               .symmetric = true};
     },
     .schedule =
         [](const Problem& x) {
           return pairwise(x.group, x.blocks.over(x.input), x.blocks[x.group.rank], x.scratch);
         }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
