// SPDX-License-Identifier: Apache-2.0
// allgather.recursive_doubling: subtrees of 1, 2, 4, .. ranks exchange all that they have.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.1.1. Where p is a power of two, log2 p rounds and
// m (p - 1) / p units each way. Elsewhere the last subtree is short: ranks without a partner get
// its blocks from those of their own subtree that have one, which doubles the rounds at worst
// (p = 2^k + 1: 2 k + 1 rounds; bruck needs k + 1).
//
//   p = 5:   round 0: 0 <-> 1   2 <-> 3     one block each way
//            round 1: 0 <-> 2   1 <-> 3     two
//            round 2: 0 <-> 4               four to rank 4, block 4 back, to be passed on:
//            round 3: 0 -> 1
//            round 4: 0 -> 2    1 -> 3
#include <algorithm>
#include <bit>

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule recursive_doubling(Group g, Blocks out) {
  const int r = g.rank;
  const int p = g.size;
  SliceRoom sent;
  SliceRoom received;
  for (int mask = 1; mask < p; mask *= 2) {
    const int mine = r & ~(mask - 1);  // the first ranks of my subtree and of the other one
    const int theirs = mine ^ mask;
    const int partner = r ^ mask;
    if (partner < p) {
      sent.clear();
      received.clear();
      co_yield round(send(out.run(mine, std::min(mask, p - mine), sent), g[partner]),
                     recv(out.run(theirs, std::min(mask, p - theirs), received), g[partner]));
    }
    // Only the first `had` ranks of my subtree had a partner: they pass its blocks on, and who has
    // got them does so too. (The paper's tree of halved distances takes as many rounds.)
    const int had = p - theirs;
    if (had <= 0 || had >= mask) continue;
    const int v = r - mine;
    for (int have = had; have < mask; have *= 2) {
      sent.clear();
      const Slices blocks = out.run(theirs, had, sent);
      if (v < have && v + have < mask) co_yield round(send(blocks, g[r + have]));
      if (v >= have && v < 2 * have) co_yield round(recv(blocks, g[r - have]));
    }
  }
}

// Where p is no power of two: for every bit of p but the lowest, a whole subtree of that many ranks
// meets the last ranks, counted by the bits below, and passes their blocks on.
double rounds(int p) {
  double most = 0;
  for (int mask = 1; mask < p; mask *= 2) {
    const int had = p & (mask - 1);
    if ((p & mask) == 0 || had == 0) continue;
    const int forwards =
        std::bit_width(static_cast<unsigned>(mask)) - std::bit_width(static_cast<unsigned>(had));
    most = std::max(most, 0.0 + std::countr_zero(static_cast<unsigned>(mask)) + forwards) + 1;
  }
  return most;
}

const Registered entry{
    {
        .collective = Collective::allgather,
        .name = "recursive_doubling",
        .summary = "Subtrees of 1, 2, 4, .. ranks exchange all that they have.",
        .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.1.1",
        .common = true,
        .claims = [](const Choice& /*choice*/) -> Claims {
          const Formula l = floor_log2(p());
          const Formula had = p() - exp2(l);
          const Formula block = m() / p();
          return {.rounds =
                      if_power_of_two(l, Formula::of_ranks("rounds_of_short_subtrees(p)", rounds)),
                  .volume = block * if_power_of_two(p() - 1,
                                                    exp2(l + 1) - 1 + had * (l - floor_log2(had)))};
        },
        .schedule = [](const Problem& x) { return recursive_doubling(x.group, x.blocks); },
    },
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
