// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.ordered: partners at distance 1, 2, 4, .. halve the blocks that they combine, in
// an order of the blocks that leaves every rank with its own.
//
// Thakur, Rabenseifner, Gropp 2005, section 5.1, its first half. Where p is a power of two, log2 p
// rounds and m (p - 1) / p units each way, after one copy of the vector. Elsewhere the first ranks
// are folded in pairs before and unfolded after, three rounds and about m units more. Every partial
// result is of consecutive ranks: for any operation.
//
//   p = 6, blocks in the order 0 1 4 2 3 5 after the fold (two for the ranks 0 and 2, which stay
//   for two):
//     fold:        0 -> 1 (second half)   1 -> 0 (first half), and 2, 3 alike; both combine theirs
//                  1 -> 0 (second half)   3 -> 2 alike: 0, 2, 4, 5 stay
//     distance 1:  0 (0 1 4) <-> 2 (2 3 5)                  4 (0 1 4) <-> 5 (2 3 5)
//     distance 2:  0 (0 1) <-> 4 (4)                        2 (2 3) <-> 5 (5)
//     unfold:      0 -> 1 (1)   2 -> 3 (3)                  each with the blocks that it gets
#include <bit>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/halving.hpp"

namespace roundelay {
namespace {

Schedule ordered(Group g, Slice input, Blocks blocks, Slice scratch, bool commutative) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(g.size)));
  const int r = g.size - p_;
  const bool paired = g.rank < 2 * r;
  const Slice data = blocks.whole();
  const Slice own = blocks[g.rank];
  PartialResult x(input, data, scratch, commutative);
  if (paired) {
    const bool stays = g.rank % 2 == 0;
    co_yield all(fold_halves(g, x, stays));
    if (!stays) {
      co_yield round(recv(own, g.left()));
      co_return;
    }
  }
  const Subgroup t = g.folded(r, 0);
  const FoldedBlocks reversed(blocks, r, FoldedBlocks::Order::bit_reversed);
  const Blocks segments = reversed.over(data);
  if (p_ > 2) {
    RoundList reorder;
    for (int v = 0; v < p_; ++v) {
      const BlockRange from{first_block(v, r), first_block(v + 1, r)};
      reorder.add(copy(x.mine(blocks, from), x.theirs(segments, halved(v, p_, p_))));
    }
    co_yield reorder;
    x.move();
  }
  co_yield all(halve(t, segments, x));

  const BlockRange mine = halved(t.rank, p_, p_);
  const Slice results = x.mine(segments, mine);
  const Slice result = results.part(0, own.length());
  if (paired) {
    const Slice other = results.part(own.length(), results.length() - own.length());
    co_yield round(send(other, g.right()));
  }
  if (result.overlaps(own) && result != own) {
    const Slice aside = x.theirs(segments, mine).part(0, own.length());
    co_yield round(copy(result, aside), copy(aside, own));
  } else if (result != own) {
    co_yield round(copy(result, own));
  }
}

// Blocks that rank 0 combines after the fold: those of every 2nd, 4th, .. of the ranks that stay.
double combined(int p) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(p)));
  const int r = p - p_;
  int blocks = 0;
  for (int every = 2; every <= p_; every *= 2) {
    blocks += p_ / every + (r + every - 1) / every;
  }
  return blocks;
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "ordered",
     .summary = "Partners at distance 1, 2, 4, .. exchange and combine halves of their blocks, in "
                "an order that leaves every rank with its own.",
     .paper = "Thakur, Rabenseifner, Gropp 2005, section 5.1",
     .claims = [](const Choice& /*choice*/) -> Claims {
       const Formula l = floor_log2(p());
       const Formula rounds = if_power_of_two(l, l + 3);
       const Formula block = m() / p();
       const Formula folded = Formula::of("combined_in_halves(p)",
                                          [](const Dimensions& of) { return combined(of.p); });
       const Formula halving = block * if_power_of_two(p() - 1, folded);
       return {
           .scratch = if_many(m()), .rounds = rounds, .volume = halving + if_power_of_two(0, m())};
     },
     .schedule =
         [](const Problem& x) {
           return ordered(x.group, x.input, x.blocks, x.scratch, x.commutative);
         }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
