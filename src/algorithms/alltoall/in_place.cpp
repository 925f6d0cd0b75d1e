// SPDX-License-Identifier: Apache-2.0
// alltoall.in_place: ranks meet in pairs and exchange their blocks where they are.
//
// The tournament by the circle method (Kirkman 1847): for an even p, p - 1 rounds in which all meet
// somebody; for an odd p, p rounds, each without one rank. m (p - 1) / p units each way. For calls
// whose contribution lies where the result shall be: a received block waits in scratch memory, the
// longest one's, until the own one in its place has left. Elsewhere it goes straight to its place.
//
//   p = 6:   round 0: 1 4   2 3   0 5        p = 5 is the same without rank 5
//            round 1: 0 1   2 4   3 5
//            round 2: 0 2   3 4   1 5
//            round 3: 0 3   1 2   4 5
//            round 4: 0 4   1 3   2 5
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/whole_block.hpp"
#include "schedule/tournament.hpp"

namespace roundelay {
namespace {

Schedule in_place(Group g, Blocks given, Blocks blocks, Slice scratch) {
  const int r = g.rank;
  const int rounds = tournament_rounds(g.size);
  const bool same = given.whole().space() == blocks.whole().space();
  if (!same) co_yield round(copy_own_block(given[r], blocks[r]));
  for (int k = 0; k < rounds; ++k) {
    const int other = tournament_opponent(r, k, g.size);
    if (other == r) continue;
    const Slice mine = given[other];
    const Slice theirs = blocks[other];
    if (same) {
      const Slice landing = scratch.part(0, theirs.length());
      co_yield round(send(mine, g[other]), recv(landing, g[other]), copy(landing, theirs));
    } else {
      co_yield round(whole_block(send(mine, g[other]), given),
                     whole_block(recv(theirs, g[other]), blocks));
    }
  }
}

const Registered entry{
    {
        .collective = Collective::alltoall,
        .name = "in_place",
        .summary = "Ranks meet in pairs and exchange their blocks in place.",
        .paper = "Kirkman 1847, On a Problem in Combinations (the circle method)",
        .in_place = true,
        .common = true,
        .claims = [](const Choice& /*choice*/) -> Claims {
          return {.scratch = if_many(longest_block()),
                  .rounds = p() - 1,
                  .volume = m() * (p() - 1) / p()};
        },
        .schedule =
            [](const Problem& x) { return in_place(x.group, x.given, x.blocks, x.scratch); },
    },
    {Collective::alltoallv, Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
