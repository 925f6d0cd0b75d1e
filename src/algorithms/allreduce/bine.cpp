// SPDX-License-Identifier: Apache-2.0
// allreduce.bine: partners share out the blocks that they combine, first the near ones, then gather
// them the same way back.
//
// De Sensi et al. 2025, Bine Trees (SC'25, arXiv:2508.17311): reduce_scatter.bine, then
// allgather.bine. For even p 2 ceil(log2 p) rounds and 2 m (p - 1) / p units each way, most of it
// between neighbours: for long messages, and networks whose groups of nodes have few links between
// them. Of an odd p rank 1 folds to rank 0 before and after, two rounds and 2 m units more.
// Partners are combined as they are met: for commutative operations. Each block is finished by one
// rank: the same bits everywhere.
//
//   p = 6, rank 0:   round 0: sends blocks 1 4 to 1, receives 0 3 from 1 and combines
//                    round 1: sends blocks 2 5 to 5, receives 0 3 from 5 and combines
//                    round 2: sends block  3   to 3, receives 0   from 3 and combines
//                    round 3: sends block  0   to 3, receives 3   from 3
//                    round 4: sends blocks 0 3 to 5, receives 2 5 from 5
//                    round 5: sends blocks 0 3 to 1, receives 1 4 from 1
#include "algorithms/parts/bine.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule bine(Group g, Slice input, Slice data, Slice scratch) {
  if (input != data) co_yield round(copy(input, data));
  if (g.size == 1) co_return;
  co_yield all(fold_odd(g, data, scratch));
  if (!is_folded_away(g)) {
    const int pairs = g.size % 2;
    const Subgroup t = g.folded(pairs, 0);
    const Blocks blocks = Blocks::even(data, g.size);
    co_yield all(
        butterfly_reduce_scatter(t, blocks, pairs, scratch, butterfly(t.rank, t.size).rest()));
    co_yield all(butterfly_allgather(t, blocks, pairs, butterfly(t.rank, t.size)));
  }
  co_yield all(unfold_odd(g, data));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "bine",
    .summary = "Partners exchange and combine halves of their data, near partners first; then they "
               "gather the result in reverse order.",
    .paper = "De Sensi et al. 2025, Bine Trees: Enhancing Collective Operations by Optimizing "
             "Communication Locality",
    .restrictions = {Restriction::commutative},
    .claims = [](const Choice& /*choice*/) -> Claims {
      return {.scratch = if_many(m()),
              .rounds = butterfly_rounds(2),
              .volume = m() * if_even(2 * (p() - 1), 2 * (p() - 1) + butterfly_sends()) / p()};
    },
    .schedule = [](const Problem& x) { return bine(x.group, x.input, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
