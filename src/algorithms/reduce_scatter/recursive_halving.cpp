// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.recursive_halving: partners at distance p / 2, p / 4, .. 1 halve the blocks that
// they combine.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.4. Where p is a power of two, log2 p rounds and
// m (p - 1) / p units each way. With a greater `radix` k, groups of f <= k partners share out what
// they combine, in fewer rounds of f - 1 messages at once (the way back of recursive multiplying,
// Wilkins et al. 2023). Where p is no product of such factors, the first ranks are folded in pairs
// before and unfolded after, two rounds and about m units more (circulant needs neither). Far ranks
// are combined first: for commutative operations.
//
//   p = 6:            fold:       0 -> 1   2 -> 3 (all blocks)       1, 3, 4, 5 stay
//                     distance 2: 1 (0 1 2 3) <-> 4 (4 5)            3 <-> 5 alike
//                     distance 1: 1 (0 1) <-> 3 (2 3)                4 (4) <-> 5 (5)
//                     unfold:     1 -> 0 (0)   3 -> 2 (2)
//   p = 6, radix 3:   distance 2: 0 (0 1) <-> 2 (2 3) <-> 4 (4 5) <-> 0      1, 3, 5 alike
//                     distance 1: 0 (0) <-> 1 (1)   2 (2) <-> 3 (3)          4 (4) <-> 5 (5)
#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/factors.hpp"
#include "algorithms/parts/halving.hpp"

namespace roundelay {
namespace {

Schedule recursive_halving(Group g, Slice input, Blocks blocks, Slice scratch, int radix) {
  const Factors factors = factors_of(g.size, radix);
  const int r = g.size - factors.product();
  const bool paired = g.rank < 2 * r;
  const Slice data = blocks.whole();
  if (paired && g.rank % 2 == 0) {
    co_yield round(send(input, g.right()));
    co_yield round(recv(blocks[g.rank], g.right()));
    co_return;
  }
  if (paired && input != data) {
    co_yield round(recv(data, g.left()), combine(input, data));
  } else if (paired) {
    const Slice theirs = scratch.part(0, data.length());
    co_yield round(recv(theirs, g.left()), combine(theirs, data));
  } else if (g.size == 1 && input != data) {
    co_yield round(copy(input, data));
  }
  Slice held = paired ? data : input;  // the partial result
  const FoldedBlocks folded(blocks, r, FoldedBlocks::Order::ranks);
  const Blocks segments = folded.over(data);
  const Subgroup t = g.folded(r, 1);
  RoundList list;
  int d = t.size;
  for (const int* f = factors.end(); f != factors.begin();) {
    --f;
    d /= *f;
    const int digit = t.rank / d % *f;
    const int first = t.rank / d / *f * (d * *f);  // of the segments that these partners have
    const Slice kept = segments.range(first + digit * d, first + digit * d + d);
    const Blocks had = segments.over(held);
    list.clear();
    for (int i = 1; i < *f; ++i) {
      const int to = (digit + i) % *f;
      const int from = (digit - i + *f) % *f;
      list.add(send(had.range(first + to * d, first + to * d + d), t[t.rank + (to - digit) * d]));
      // Where the input is to be left alone, the first partner's goes where the result shall be.
      const bool is_base = i == 1 && held != data;
      const Slice own = had.range(first + digit * d, first + digit * d + d);
      const Slice theirs = is_base ? kept : scratch.part((i - 1) * kept.length(), kept.length());
      list.add(recv(theirs, t[t.rank + (from - digit) * d]));
      list.add(is_base ? combine(own, kept) : combine(theirs, kept));
    }
    co_yield list;
    held = data;
  }
  if (paired) co_yield round(send(blocks[g.rank - 1], g.left()));
}

// Blocks that the rank combines, of those that stay, that has most of them.
int blocks_combined(int p, int radix) {
  const Factors factors = factors_of(p, radix);
  const int r = p - factors.product();
  int most = 0;
  for (int v = 0; v < (r > 0 ? r : 1); ++v) {
    int blocks = r > 0 ? p : 0;
    int d = factors.product();
    for (const int* f = factors.end(); f != factors.begin();) {
      --f;
      d /= *f;
      const int first = v / d * d;
      blocks += (*f - 1) * (first_block(first + d, r) - first_block(first, r));
    }
    most = std::max(most, blocks);
  }
  return most;
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "recursive_halving",
     .summary =
         "Partners at distance p / 2, p / 4, .. 1 exchange and combine halves of their blocks.",
     .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.4; Wilkins et al. 2023",
     .restrictions = {Restriction::commutative},
     .parameters = {radix_parameter()},
     .common = true,
     .claims = [](const Choice& choice) -> Claims {
       const int radix = radix_of(choice);
       const FactorFormulas factors(radix);
       // Blocks combined by the first rank that stays, which stays for two in every range: of d
       // ranks that have a range, min(d, r) do.
       const Formula l = floor_log2(p());
       const Formula r = p() - exp2(l);
       const Formula low = floor_log2(r);
       const Formula twice = r * (l - 1 - low) + exp2(low + 1) - 1;
       const Formula halved = if_power_of_two(p() - 1, p() + exp2(l) - 1 + twice);
       const Formula block = m() / p();
       return {.scratch = factors.most_partners * m(),
               .rounds = factors.rounds + 2 * factors.folded,
               .volume = block * of_radix(radix, halved, "combined", blocks_combined),
               .ports = radix - 1};
     },
     .schedule =
         [](const Problem& x) {
           return recursive_halving(x.group, x.input, x.blocks, x.scratch, radix_of(*x.choice));
         }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
