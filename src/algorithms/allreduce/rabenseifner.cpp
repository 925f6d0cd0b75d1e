// SPDX-License-Identifier: Apache-2.0
// allreduce.rabenseifner: partners at distance 1, 2, 4, .. halve what they combine, then gather it
// the same way back.
//
// Thakur, Rabenseifner, Gropp 2005, section 5.1. Where p is a power of two, 2 log2 p rounds and
// 2 m (p - 1) / p units each way: for long messages. Elsewhere the first ranks are folded in pairs,
// three rounds and 1.5 m units more. Every partial result is of consecutive ranks, and each segment
// is finished by one rank: for any operation, with the same bits everywhere.
//
//   p = 6, segments a b c d:
//     fold:        0 -> 1 (c d)   1 -> 0 (a b), and 2, 3 alike; both combine their half
//                  1 -> 0 (c d)   3 -> 2 (c d): 0, 2, 4, 5 stay
//     distance 1:  0 has a b, 2 has c d      4 has a b, 5 has c d
//     distance 2:  0 has a,   4 has b        2 has c,   5 has d
//     and back:    0 has a b, 4 has a b ..   0 has a b c d ..
//     unfold:      0 -> 1   2 -> 3
#include <bit>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/halving.hpp"

namespace roundelay {
namespace {

Schedule rabenseifner(Group g, Slice input, Slice data, Slice scratch, bool commutative) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(g.size)));
  const int r = g.size - p_;
  const bool paired = g.rank < 2 * r;
  const Blocks result = Blocks::even(data, p_);
  PartialResult x(input, data, scratch, commutative);
  if (paired) {
    const bool stays = g.rank % 2 == 0;
    co_yield all(fold_halves(g, x, stays));
    if (!stays) {
      co_yield round(recv(data, g.left()));
      co_return;
    }
  }
  const Subgroup t = g.folded(r, 0);
  co_yield all(halve(t, result, x));
  if (x.mine() != data) {
    const BlockRange mine = halved(t.rank, p_, p_);
    co_yield round(copy(x.mine(result, mine), mine.of(result)));
  }
  co_yield all(gather_halves(t, result));
  if (paired) co_yield round(send(data, g.right()));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "rabenseifner",
    .summary = "Partners at distance 1, 2, 4, .. exchange and combine halves of their data; then "
               "they gather the result in reverse order.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 5.1",
    .common = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula l = floor_log2(p());
      const Formula p_ = exp2(l);
      const Formula rounds = if_power_of_two(2 * l, 2 * l + 3);
      const Formula once = m() * (p_ - 1) / p_;
      return {.scratch = if_many(m()),
              .rounds = rounds,
              .volume = if_power_of_two(2 * once, 2 * once + 1.5 * m())};
    },
    .schedule =
        [](const Problem& x) {
          return rabenseifner(x.group, x.input, x.data, x.scratch, x.commutative);
        },
}};

}  // namespace
}  // namespace roundelay
