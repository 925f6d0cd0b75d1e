// SPDX-License-Identifier: Apache-2.0
// allgather.pat: each rank hands on what it has, first far and then ever nearer, as many blocks at
// once as a buffer holds.
//
// Jeaugey 2025, PAT: a new algorithm for all-gather and reduce-scatter operations at scale
// (arXiv:2506.20252): a binomial tree for every block, all at once, with halved distances. What
// goes far is little, where Bruck's last round takes half of all over the greatest distance. m (p -
// 1) / p units each way for every p; with a `buffer` of p / 2 blocks ceil(log2 p) rounds, with one
// of A about log2 A + p / A, with one of 1 p - 1. The paper takes the trees one after the other
// where the buffer is full, so that blocks need not wait at ranks; here they wait in the output.
//
//   p = 5, rank 2:              round 0: sends 2     to 1, receives 3   from 3   (distance 4)
//                               round 1: sends 2     to 4, receives 0   from 0   (distance 2)
//                               round 2: sends 2 0   to 3, receives 1 4 from 1   (distance 1)
//   p = 5, buffer 1, rank 2:    round 2: sends 2     to 3, receives 1   from 1
//                               round 3: sends 0     to 3, receives 4   from 1
#include "algorithms/parts/pat.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule pat(Group g, Blocks out, int most) {
  const int r = g.rank;
  SliceRoom sent;
  SliceRoom received;
  for (const PatRound& step : pat_rounds(g.size, most)) {
    co_yield round(send(pat_blocks(out, r, 0, step, sent), g[r + step.d]),
                   recv(pat_blocks(out, r, step.d, step, received), g[r - step.d]));
  }
}

const Registered entry{
    {
        .collective = Collective::allgather,
        .name = "pat",
        .summary = "Each rank passes on the blocks that it has, to far ranks first, with as many "
                   "blocks per message as the buffer holds.",
        .paper = "Jeaugey 2025, PAT: a new algorithm for all-gather and reduce-scatter operations "
                 "at scale",
        .parameters = {buffer_parameter()},
        .claims = [](const Choice& choice) -> Claims {
          return {.rounds = rounds_of_pat(choice), .volume = m() * (p() - 1) / p()};
        },
        .schedule = [](const Problem& x) { return pat(x.group, x.blocks, buffer_of(*x.choice)); },
    },
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
