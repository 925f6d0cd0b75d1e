// SPDX-License-Identifier: Apache-2.0
// barrier.recursive_doubling: partners at distance 1, 2, 4, .. tell each other whom they know of.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.5, without data. log2 p rounds of one empty message
// each way, between partners: cheaper than dissemination where both ways of one link are. Where p
// is not a power of two, the first ranks are folded in pairs before and unfolded after, two rounds
// more.
//
//   p = 6:   fold:       0 -> 1   2 -> 3           1, 3, 4, 5 stay
//            distance 1: 1 <-> 3   4 <-> 5
//            distance 2: 1 <-> 4   3 <-> 5
//            unfold:     1 -> 0   3 -> 2
#include <bit>

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule recursive_doubling(Group g) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(g.size)));
  const int r = g.size - p_;
  const bool paired = g.rank < 2 * r;
  if (paired && g.rank % 2 == 0) {
    co_yield round(send_token(g.right()));
    co_yield round(recv_token(g.right()));
    co_return;
  }
  if (paired) co_yield round(recv_token(g.left()));
  const Subgroup t = g.folded(r, 1);
  for (int d = 1; d < p_; d *= 2) {
    const int other = t[t.rank ^ d];
    co_yield round(send_token(other), recv_token(other));
  }
  if (paired) co_yield round(send_token(g.left()));
}

const Registered entry{{
    .collective = Collective::barrier,
    .name = "recursive_doubling",
    .summary = "Partners at distance 1, 2, 4, .. tell each other whom they know of.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
    .common = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula l = floor_log2(p());
      const Formula rounds = if_power_of_two(l, l + 2);
      return {.rounds = rounds, .volume = 0};
    },
    .schedule = [](const Problem& x) { return recursive_doubling(x.group); },
}};

}  // namespace
}  // namespace roundelay
