// SPDX-License-Identifier: Apache-2.0
// alltoall.scattered: every rank sends to all others at once, to each a block.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.3. p - 1 messages and m (p - 1) / p units each way,
// nobody waits for anybody but by the throttle: for messages of medium length. Ranks begin at
// different ones, so that they do not all send to the same.
//
//   p = 5, rank 2, throttle 2:   sends to 3 and 4, receives from 1 and 0
//                                those to 3 and from 1 are complete: sends to 0, receives from 4
//                                those to 4 and from 0 are complete: sends to 1, receives from 3
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/whole_block.hpp"
#include "algorithms/parts/window.hpp"

namespace roundelay {
namespace {

Schedule scattered(Group g, Blocks given, Blocks blocks, Window window) {
  const int r = g.rank;
  for (int i = 1; i < g.size; ++i) {
    const Fence due = window.due(i);
    if (window.full(i)) co_yield fence(due);
    co_yield round(deferred(whole_block(send(given[r + i], g[r + i]), given), due),
                   deferred(whole_block(recv(blocks[r - i], g[r - i]), blocks), due));
  }
  co_yield round(copy_own_block(given[r], blocks[r]));
}

const Registered entry{
    {
        .collective = Collective::alltoall,
        .name = "scattered",
        .summary = "Every rank sends a block to every other rank, all at once.",
        .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.3",
        .parameters = throttle(),
        .common = true,
        .claims = [](const Choice& choice) -> Claims {
          return {.rounds = p() - 1,
                  .volume = m() * (p() - 1) / p(),
                  .ports = Window(choice).size(),
                  .symmetric = true};
        },
        .schedule =
            [](const Problem& x) { return scattered(x.group, x.given, x.blocks, Window(x)); },
    },
    {Collective::alltoallv, Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
