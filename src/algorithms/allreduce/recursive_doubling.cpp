// SPDX-License-Identifier: Apache-2.0
// allreduce.recursive_doubling: partners at distance 1, 2, 4, .. exchange and combine their partial
// results.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.5. log2 p rounds of m units: best for short messages.
// Where p is not a power of two, the first ranks are folded in pairs before and unfolded after, two
// rounds more. Every partial result is of consecutive ranks, and both partners combine the same
// operands: for any operation, with the same bits everywhere.
//
//   p = 6:   fold:       0 -> 1   2 -> 3           1, 3, 4, 5 stay
//            distance 1: 1 <-> 3   4 <-> 5
//            distance 2: 1 <-> 4   3 <-> 5
//            unfold:     1 -> 0   3 -> 2
#include <bit>
#include <utility>

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule recursive_doubling(Group g, Slice data, Slice scratch) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(g.size)));
  const int r = g.size - p_;
  const bool paired = g.rank < 2 * r;
  if (paired && g.rank % 2 == 0) {
    co_yield round(send(data, g.right()));
    co_yield round(recv(data, g.right()));
    co_return;
  }
  // A combination lands where the higher operand is, so the buffers change places.
  Slice mine = data;
  Slice theirs = scratch.part(0, data.length());
  if (paired) co_yield round(recv(theirs, g.left()), combine(theirs, mine));
  const Subgroup t = g.folded(r, 1);
  const int v = t.rank;
  for (int d = 1; d < p_; d *= 2) {
    const int w = t[v ^ d];
    if ((v & d) != 0) {
      co_yield round(send(mine, w), recv(theirs, w), combine(theirs, mine));
    } else {
      co_yield round(send(mine, w), recv(theirs, w), combine(mine, theirs));
      std::swap(mine, theirs);
    }
  }
  if (paired) co_yield round(send(mine, g.left()));
  if (mine != data) co_yield round(copy(mine, data));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "recursive_doubling",
    .summary = "Partners at distance 1, 2, 4, .. exchange and combine their partial results.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
    .fixed_order = true,
    .common = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula l = floor_log2(p());
      const Formula rounds = if_power_of_two(l, l + 2);
      const Formula combined = if_power_of_two(l, l + 1) * m();
      return {.scratch = if_many(m()), .rounds = rounds, .volume = combined};
    },
    .schedule = [](const Problem& x) { return recursive_doubling(x.group, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
