// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.bine: partners share out the blocks that they combine, first the near ones.
//
// De Sensi et al. 2025, Bine Trees (SC'25, arXiv:2508.17311), the butterfly with doubled distances:
// allgather.bine backwards. For even p ceil(log2 p) rounds and m (p - 1) / p units each way. Half
// of all goes to a neighbour, what passes many links is little: for networks whose groups of nodes
// have few links between them. Of an odd p rank 1 folds to rank 0 before and after, two rounds and
// about m units more. Partners are combined as they are met: for commutative operations.
//
//   p = 6, rank 0:   round 0: sends blocks 1 4 to 1, receives 0 3 from 1 and combines
//                    round 1: sends blocks 2 5 to 5, receives 0 3 from 5 and combines
//                    round 2: sends block  3   to 3, receives 0   from 3 and combines
#include "algorithms/parts/bine.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule bine(Group g, Slice input, Blocks data, Slice scratch) {
  if (input != data.whole()) co_yield round(copy(input, data.whole()));
  if (g.size == 1) co_return;
  co_yield all(fold_odd(g, data.whole(), scratch));
  if (!is_folded_away(g)) {
    const int pairs = g.size % 2;
    const Subgroup t = g.folded(pairs, 0);
    co_yield all(
        butterfly_reduce_scatter(t, data, pairs, scratch, butterfly(t.rank, t.size).rest()));
  }
  co_yield all(unfold_odd(g, data[1]));
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "bine",
     .summary = "Partners exchange and combine halves of their data, near partners first.",
     .paper = "De Sensi et al. 2025, Bine Trees: Enhancing Collective Operations by Optimizing "
              "Communication Locality",
     .restrictions = {Restriction::commutative},
     .claims = [](const Choice& /*choice*/) -> Claims {
       return {.scratch = if_many(m()),
               .rounds = butterfly_rounds(),
               .volume = m() * if_even(p() - 1, p() + butterfly_sends()) / p()};
     },
     .schedule = [](const Problem& x) { return bine(x.group, x.input, x.blocks, x.scratch); }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
