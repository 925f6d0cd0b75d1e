// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.recursive_doubling: partners at distance 1, 2, 4, .. exchange what the other one
// needs for its block or to pass on.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.4. Where p is a power of two, log2 p rounds and
// m (log2 p - 2) + m (log2 p + 2) / p units each way: for short messages. (The paper sends m more,
// about: the blocks of those, too, whom the partner has met before and who need nothing of it. Of
// the blocks of the ranks that it meets next, a rank combines all, as in the paper, but sends on
// only that of its partner.)
// Elsewhere the first ranks are folded in pairs before and unfolded after, two rounds and about m
// units more. Every partial result is of consecutive ranks: for any operation.
//
//   p = 6:   fold:       0 -> 1   2 -> 3 (all blocks)       1, 3, 4, 5 stay
//            distance 1: 1 (0 1 4 5) <-> 3 (2 3 4 5)        4 (0 1 2 3 4) <-> 5 (0 1 2 3 5)
//            distance 2: 1 (0 1) <-> 4 (4)                  3 (2 3) <-> 5 (5)
//            unfold:     1 -> 0 (0)   3 -> 2 (2)            each with the blocks that it gets
#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/halving.hpp"

namespace roundelay {
namespace {

Schedule recursive_doubling(Group g, Slice input, Blocks blocks, Slice scratch, bool commutative) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(g.size)));
  const int r = g.size - p_;
  const bool paired = g.rank < 2 * r;
  const Slice data = blocks.whole();
  if (paired && g.rank % 2 == 0) {
    co_yield round(send(input, g.right()));
    co_yield round(recv(blocks[g.rank], g.right()));
    co_return;
  }
  if (input != data) co_yield round(copy(input, data));
  const Slice other = scratch.part(0, g.size > 1 ? data.length() : 0);
  if (paired) co_yield round(recv(other, g.left()), combine(other, data));

  const FoldedBlocks segments(blocks, r, FoldedBlocks::Order::ranks);
  const Subgroup t = g.folded(r, 1);
  const int v = t.rank;
  Slice mine = data;
  Slice theirs = other;
  SliceRoom sent;
  SliceRoom received;
  for (int d = 1; d < p_; d *= 2) {
    const int w = v ^ d;
    // These 2 d ranks share all that they know in this round. What goes to a partner is for its own
    // block and for those before and after, to whose ranks it passes on.
    const int first = v & -(2 * d);
    const int last = first + 2 * d;
    const auto needed = [&](Slice whole, int by, SliceRoom& room) {
      const Blocks cut = segments.over(whole);
      room.clear();
      Slices slices;
      slices.add(cut.range(0, first), room);
      slices.add(cut[by], room);
      slices.add(cut.range(last, p_), room);
      return slices;
    };
    const bool higher = (v & d) != 0;
    const bool into_mine = higher || commutative;
    const Blocks low = segments.over(into_mine ? theirs : mine);
    const Blocks high = segments.over(into_mine ? mine : theirs);
    co_yield round(send(needed(mine, w, sent), t[w]), recv(needed(theirs, v, received), t[w]),
                   combine(low.range(0, first), high.range(0, first)), combine(low[v], high[v]),
                   combine(low.range(last, p_), high.range(last, p_)));
    if (!into_mine) std::swap(mine, theirs);
  }
  if (paired) co_yield round(send(blocks.over(mine)[g.rank - 1], g.left()));
  if (mine != data) co_yield round(copy(blocks.over(mine)[g.rank], blocks[g.rank]));
}

// Blocks that the last rank that stays for two combines, p of them in the fold: of `done` ranks
// before p_ it needs nothing more.
double combined_when_folded(int p) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(p)));
  const int r = p - p_;
  double blocks = p;
  for (int done = 2; done <= p_; done *= 2) {
    const int first = (r - 1) & -done;
    blocks += 2 + p - done - std::min(done, r - first);
  }
  return blocks;
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "recursive_doubling",
     .summary = "Partners at distance 1, 2, 4, .. exchange the partial results that the other "
                "needs or has to pass on.",
     .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.4",
     .redundant = true,
     .common = true,
     .claims = [](const Choice& /*choice*/) -> Claims {
       const Formula l = floor_log2(p());
       const Formula rounds = if_power_of_two(l, l + 2);
       const Formula block = m() / p();
       const Formula folded = Formula::of("combined_when_folded(p)", [](const Dimensions& of) {
         return combined_when_folded(of.p);
       });
       const Formula volume = block * if_power_of_two(l * (p() + 1) - 2 * (p() - 1), folded);
       return {.scratch = if_many(m()), .rounds = rounds, .volume = volume};
     },
     .schedule =
         [](const Problem& x) {
           return recursive_doubling(x.group, x.input, x.blocks, x.scratch, x.commutative);
         }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
