// SPDX-License-Identifier: Apache-2.0
// allgather.bine: partners exchange all that they have, first the far ones, and near to each other.
//
// De Sensi et al. 2025, Bine Trees (SC'25, arXiv:2508.17311), the butterfly with halved distances.
// For even p ceil(log2 p) rounds and m (p - 1) / p units each way. What passes many links is
// little, and distances are 2/3 of those of recursive doubling: for networks whose groups of nodes
// have few links between them. The paper's butterflies are for powers of two, or even p where only
// what the partner has not goes; of an odd p rank 1 folds to rank 0 before and after, two rounds
// and about m units more. Blocks are named one by one instead of permuted.
//
//   p = 6, rank 0:   round 0: sends 0   to 3, receives 3   from 3
//                    round 1: sends 0 3 to 5, receives 2 5 from 5
//                    round 2: sends 0 3 to 1, receives 1 4 from 1 (which has 2 5, too)
#include "algorithms/parts/bine.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule bine(Group g, Blocks out) {
  if (g.size == 1) co_return;
  const int pairs = g.size % 2;
  SliceRoom room;
  const Slices others = pairs > 0 ? out.run(2, g.size - 1, room) : Slices();
  if (pairs > 0 && g.rank == 1) {
    co_yield round(send(out[1], g[0]));
    co_yield round(recv(others, g[0]));
    co_return;
  }
  if (pairs > 0 && g.rank == 0) co_yield round(recv(out[1], g[1]));
  const Subgroup t = g.folded(pairs, 0);
  co_yield all(butterfly_allgather(t, out, pairs, butterfly(t.rank, t.size)));
  if (pairs > 0 && g.rank == 0) co_yield round(send(others, g[1]));
}

const Registered entry{
    {
        .collective = Collective::allgather,
        .name = "bine",
        .summary = "Partners exchange all blocks that they have, far partners first.",
        .paper = "De Sensi et al. 2025, Bine Trees: Enhancing Collective Operations by Optimizing "
                 "Communication Locality",
        .claims = [](const Choice& /*choice*/) -> Claims {
          return {.rounds = butterfly_rounds(),
                  .volume = m() * if_even(p() - 1, p() - 1 + butterfly_sends()) / p()};
        },
        .schedule = [](const Problem& x) { return bine(x.group, x.blocks); },
    },
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
