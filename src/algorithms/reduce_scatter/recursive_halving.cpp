// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.recursive_halving: partners at distance p / 2, p / 4, .. 1 halve the blocks that
// they combine.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.4. Where p is a power of two, log2 p rounds and
// m (p - 1) / p units each way. Elsewhere the first ranks are folded in pairs before and unfolded
// after, two rounds and about m units more (circulant needs neither). Far ranks are combined first:
// for commutative operations.
//
//   p = 6:   fold:       0 -> 1   2 -> 3 (all blocks)       1, 3, 4, 5 stay
//            distance 2: 1 (0 1 2 3) <-> 4 (4 5)            3 <-> 5 alike
//            distance 1: 1 (0 1) <-> 3 (2 3)                4 (4) <-> 5 (5)
//            unfold:     1 -> 0 (0)   3 -> 2 (2)
#include <bit>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/halving.hpp"

namespace roundelay {
namespace {

Schedule recursive_halving(Group g, Blocks blocks, Slice scratch) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(g.size)));
  const int r = g.size - p_;
  const bool paired = g.rank < 2 * r;
  const Slice data = blocks.whole();
  if (paired && g.rank % 2 == 0) {
    co_yield round(send(data, g.right()));
    co_yield round(recv(blocks[g.rank], g.right()));
    co_return;
  }
  PartialResult x(data, data, scratch, true);
  if (paired) co_yield round(recv(x.theirs(), g.left()), combine(x.theirs(), data));
  const FoldedBlocks segments(blocks, r, FoldedBlocks::Order::ranks);
  const Subgroup t = g.folded(r, 1);
  co_yield all(halve(t, segments.over(data), x, Distances::halving));
  if (paired) co_yield round(send(blocks[g.rank - 1], g.left()));
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "recursive_halving",
     .summary = "Partners at distance p / 2, p / 4, .. 1 halve the blocks that they combine.",
     .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.4",
     .restrictions = {Restriction::commutative},
     .common = true,
     .claims = [](const Choice& /*choice*/) -> Claims {
       const Formula l = floor_log2(p());
       const Formula rounds = if_power_of_two(l, l + 2);
       // Blocks combined by the first rank that stays, which stays for two in every range: of d
       // ranks that have a range, min(d, r) do.
       const Formula r = p() - exp2(l);
       const Formula low = floor_log2(r);
       const Formula twice = r * (l - 1 - low) + exp2(low + 1) - 1;
       const Formula block = m() / p();
       const Formula combined = block * if_power_of_two(p() - 1, p() + exp2(l) - 1 + twice);
       return {.scratch = if_many(m()), .rounds = rounds, .volume = combined};
     },
     .schedule = [](const Problem& x) { return recursive_halving(x.group, x.blocks, x.scratch); }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
