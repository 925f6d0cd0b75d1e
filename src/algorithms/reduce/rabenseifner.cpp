// SPDX-License-Identifier: Apache-2.0
// reduce.rabenseifner: partners at distance 1, 2, 4, .. halve what they combine, then the root
// gathers it the same way back.
//
// Thakur, Rabenseifner, Gropp 2005, section 5.1. Where p is a power of two, 2 log2 p rounds and
// 2 m (p - 1) / p units: for long messages. Elsewhere the first ranks are folded in pairs, two
// rounds and m units more; of the root's pair the root stays, of the others the even rank. Every
// partial result is of consecutive ranks: for any operation.
//
//   p = 6, root 1, segments a b c d:
//     fold:        0 -> 1 (c d)   1 -> 0 (a b), and 2, 3 alike; both combine their half
//                  0 -> 1 (a b)   3 -> 2 (c d): 1, 2, 4, 5 stay
//     distance 1:  1 has a b, 2 has c d      4 has a b, 5 has c d
//     distance 2:  1 has a,   4 has b        2 has c,   5 has d
//     and back:    4 -> 1 (b)   5 -> 2 (d)   2 -> 1 (c d)
#include <bit>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/halving.hpp"

namespace roundelay {
namespace {

Schedule rabenseifner(Group g, int root, Slice input, Slice data, Slice scratch, bool commutative) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(g.size)));
  const int r = g.size - p_;
  const auto stays = [r, root](int rank) {
    return rank >= 2 * r || rank == root || (rank % 2 == 0 && rank + 1 != root);
  };
  PartialResult x(input, data, scratch, commutative);
  if (g.rank < 2 * r) {
    co_yield all(fold_halves(g, x, stays(g.rank)));
    if (!stays(g.rank)) co_return;
  }
  std::vector<int> staying;
  for (int rank = 0; rank < g.size; ++rank) {
    if (stays(rank)) staying.push_back(rank);
  }
  const auto after_fold = [r](int rank) { return rank < 2 * r ? rank / 2 : rank - r; };
  const Subgroup t = g.listed(staying.data(), p_, after_fold(g.rank));
  const Blocks result = Blocks::even(data, p_);
  co_yield all(halve(t, result, x));
  if (x.mine() != data) {
    const BlockRange mine = halved(t.rank, p_, p_);
    co_yield round(copy(x.mine(result, mine), mine.of(result)));
  }
  co_yield all(gather_halves(t, result, after_fold(root)));
}

const Registered entry{{
    .collective = Collective::reduce,
    .name = "rabenseifner",
    .summary = "Partners at distance 1, 2, 4, .. exchange and combine halves of their data; then "
               "the root gathers the result in reverse order.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 5.1",
    .common = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula l = floor_log2(p());
      const Formula p_ = exp2(l);
      const Formula rounds = if_power_of_two(2 * l, 2 * l + 2);
      const Formula once = m() * (p_ - 1) / p_;
      const Formula volume = if_power_of_two(2 * once, 2 * once + m());
      return {.scratch = if_many(m()), .rounds = rounds, .volume = volume};
    },
    .schedule =
        [](const Problem& x) {
          return rabenseifner(x.group, x.root, x.input, x.data, x.scratch, x.commutative);
        },
}};

}  // namespace
}  // namespace roundelay
