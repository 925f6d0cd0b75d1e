// SPDX-License-Identifier: Apache-2.0
// alltoall.pairwise: in every round each rank exchanges one block with one other.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.3. p - 1 rounds, m (p - 1) / p units each way, every
// block straight to where it shall be: for long messages. A rank sends ahead and receives from
// behind. (Where p is a power of two, the paper's ranks exchange with r xor i: MPI libraries take
// the two directions of a long exchange over TCP one after the other.)
//
//   p = 5, rank 2:   round 0: sends to 3, receives from 1
//                    round 1: sends to 4, receives from 0
//                    round 2: sends to 0, receives from 4
//                    round 3: sends to 1, receives from 3
#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule pairwise(Group g, Blocks given, Blocks blocks) {
  const int r = g.rank;
  co_yield round(copy(given[r], blocks[r]));
  for (int i = 1; i < g.size; ++i) {
    co_yield round(send(given[r + i], g[r + i]), recv(blocks[r - i], g[r - i]));
  }
}

const Registered entry{
    {
        .collective = Collective::alltoall,
        .name = "pairwise",
        .summary = "In every round each rank exchanges one block with one other.",
        .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.3",
        .claims = [](const Choice& /*choice*/) -> Claims {
          const Formula volume = m() * (p() - 1) / p();
          return {.scratch = 0,
                  .rounds = p() - 1,
                  .volume = volume,
                  .alpha = p() - 1,
                  .beta = volume,
                  .gamma = 0,
                  .symmetric = true,
                  // A rank that is ahead sends to one that still receives from another.
                  .drifting = volume,
                  // Over distance p / 2, if p is even.
                  .paired = m() / p() * (1 - p() + 2 * floor(p() / 2))};
        },
        .schedule = [](const Problem& x) { return pairwise(x.group, x.given, x.blocks); },
    },
    {Collective::alltoallv, Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
