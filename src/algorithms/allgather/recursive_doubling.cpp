// SPDX-License-Identifier: Apache-2.0
// allgather.recursive_doubling: subtrees of 1, 2, 4, .. ranks exchange all that they have.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.1.1. Where p is a power of two, log2 p rounds and
// m (p - 1) / p units each way. With a greater `radix` k, recursive multiplying (Wilkins et al.
// 2023): k subtrees meet at once, in fewer rounds of k - 1 messages. Where p is no power of the
// radix, the last subtree is short: ranks without a partner get its blocks from those of their own
// subtree that have one, which doubles the rounds at worst (p = 2^k + 1: 2 k + 1 rounds; bruck
// needs k + 1).
//
//   p = 5:            round 0: 0 <-> 1   2 <-> 3     one block each way
//                     round 1: 0 <-> 2   1 <-> 3     two
//                     round 2: 0 <-> 4               four to rank 4, block 4 back, to be passed on:
//                     round 3: 0 -> 1
//                     round 4: 0 -> 2    1 -> 3
//   p = 5, radix 3:   round 0: 0 <-> 1 <-> 2 <-> 0   3 <-> 4
//                     round 1: 0 <-> 3   1 <-> 4     three to 3 and 4, two back, to be passed on:
//                     round 2: 0 -> 2
#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/factors.hpp"

namespace roundelay {
namespace {

Schedule recursive_doubling(Group g, Blocks out, int radix) {
  const int r = g.rank;
  const int p = g.size;
  RoundList list;
  std::vector<SliceRoom> rooms(static_cast<std::size_t>(radix));
  for (int s = 1; s < p; s *= radix) {
    // Subtrees of s ranks, of which `radix` meet; the last one may be short.
    const int mine = r / s * s;
    const int first = r / (s * radix) * (s * radix);
    const int end = std::min(first + s * radix, p);
    for (SliceRoom& room : rooms) room.clear();
    list.clear();
    const Slices sent = out.run(mine, std::min(s, p - mine), rooms[0]);
    for (int i = 1; i < radix; ++i) {
      const int to = (r - first + i * s) % (s * radix) + first;
      const int from = (r - first + (radix - i) * s) % (s * radix) + first;
      if (to < p) list.add(send(sent, g[to]));
      const int theirs = from / s * s;
      if (from < p) {
        list.add(recv(out.run(theirs, std::min(s, p - theirs), rooms[static_cast<std::size_t>(i)]),
                      g[from]));
      }
    }
    if (!list.empty()) co_yield list;
    // Only the first `had` ranks of my subtree had a partner in a short one: they pass its blocks
    // on, and who has got them does so too. (The paper's tree of halved distances takes as many
    // rounds.)
    const int had = (end - first) % s;
    const int theirs = end - had;
    if (had == 0 || mine == theirs) continue;
    const int v = r - mine;
    for (int have = had; have < s; have *= radix) {
      rooms[0].clear();
      const Slices blocks = out.run(theirs, had, rooms[0]);
      list.clear();
      for (int i = 1; i < radix; ++i) {
        if (v < have && v + i * have < s) list.add(send(blocks, g[r + i * have]));
        if (v >= i * have && v < (i + 1) * have) list.add(recv(blocks, g[r - i * have]));
      }
      if (!list.empty()) co_yield list;
    }
  }
}

// What the ranks do that have most to do. In every digit of p, to the base k, so many whole
// subtrees of s ranks meet, and a short one of `had` ranks, of which others have to be told.
struct Most {
  int rounds = 0;
  int volume = 0;  // blocks

  Most(int p, int k) : volume(p - 1) {
    int digit = 0;
    for (int s = 1; s <= p; s *= k, ++digit) {
      const int had = p % s;
      const int partners = p / s % k - (had > 0 ? 0 : 1);
      if (p == s) rounds = digit;
      if (partners < 1) continue;
      int steps = 0;
      int messages = 0;
      for (int have = had; have > 0 && have < s; have *= k, ++steps) {
        messages += std::min(k - 1, (s - 1) / have);
      }
      rounds = std::max(rounds, digit + steps) + 1;
      volume = std::max(volume, s - 1 + partners * s + messages * had);
    }
  }
};

const Registered entry{
    {
        .collective = Collective::allgather,
        .name = "recursive_doubling",
        .summary = "Pairs of groups of 1, 2, 4, .. ranks exchange all blocks that they have.",
        .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.1.1; Wilkins et al. 2023",
        .parameters = {radix_parameter()},
        .common = true,
        .claims = [](const Choice& choice) -> Claims {
          const int radix = radix_of(choice);
          const auto of = [radix](const char* name, const Formula& of_power, int Most::* what) {
            const Formula most =
                Formula::of(std::string(name) + "_of_short_subtrees(p" +
                                (radix > 2 ? ", " + std::to_string(radix) : "") + ")",
                            [=](const Dimensions& x) -> double { return Most(x.p, radix).*what; });
            return radix == 2 ? if_power_of_two(of_power, most) : most;
          };
          return {.rounds = of("rounds", floor_log2(p()), &Most::rounds),
                  .volume = m() / p() * of("volume", p() - 1, &Most::volume),
                  .ports = radix - 1};
        },
        .schedule =
            [](const Problem& x) {
              return recursive_doubling(x.group, x.blocks, radix_of(*x.choice));
            },
    },
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
