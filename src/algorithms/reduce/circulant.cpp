// SPDX-License-Identifier: Apache-2.0
// reduce.circulant: the rounds of bcast.circulant backwards; where a block would come from, its
// partial result goes.
//
// Traff 2024, Optimal broadcast schedules in logarithmic time, section 4. n - 1 + ceil(log2 p)
// rounds of m / n units for every p; every rank but the root sends m units. For long messages and
// commutative operations.
//
//   p = 5, n = 3, root 0:   the rounds of bcast.circulant from the last to the first:
//                           .., 3 -> 1 and 2 -> 0, 1 -> 0
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pipeline.hpp"

namespace roundelay {

// Two scratch blocks take turns, so that a block may arrive while the one before is combined.
Schedule circulant_reduce(Group g, int root, Slice input, Blocks blocks, Slice scratch,
                          Memo* memo) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const CirculantRow row = CirculantMemo::row(memo, t.size, v);
  const Skips skip = Skips::halving(t.size);
  const Pipeline pipeline(t.size, blocks.size());
  if (t.size == 1 && input != blocks.whole()) co_yield round(copy(input, blocks.whole()));
  const Blocks contribution = blocks.over(input);
  // Whether a block has been received: until then its partial result is the contribution.
  std::vector<bool> received(static_cast<std::size_t>(blocks.size()), input == blocks.whole());
  const Units longest = blocks[0].length();
  for (int i = pipeline.end(); i-- > pipeline.begin();) {
    const int k = pipeline.skip(i);
    const int s = pipeline.block(row.send[static_cast<std::size_t>(k)], i);
    const int r = pipeline.block(row.receive[static_cast<std::size_t>(k)], i);
    const bool sends = r >= 0 && v != 0;
    const bool receives = s >= 0 && v + skip[k] != t.size;
    // Not within co_yield: GCC 12 evaluates both sides of a choice there.
    const bool is_first = receives && !received[static_cast<std::size_t>(s)];
    const bool had = sends && received[static_cast<std::size_t>(r)];
    const Slice given = had ? blocks[r] : sends ? contribution[r] : Slice();
    const Slice mine = receives ? blocks[s] : Slice();
    const Slice room = scratch.part(t.size > 1 ? i % 2 * longest : 0, mine.length());
    const Slice theirs = is_first ? mine : room;
    const LocalStep step = is_first ? combine(contribution[s], mine) : combine(theirs, mine);
    if (is_first) received[static_cast<std::size_t>(s)] = true;
    co_yield round(send(given, t[v - skip[k]]), recv(theirs, t[v + skip[k]]), step);
  }
}

namespace {

const Registered entry{{
    .collective = Collective::reduce,
    .name = "circulant",
    .summary = "The rounds of bcast.circulant in reverse order: each transfer carries a partial "
               "result in the opposite direction.",
    .paper = "Traff 2024, Optimal broadcast schedules in logarithmic time, section 4",
    .restrictions = {Restriction::commutative},
    .parameters = {blocks_parameter()},
    .claims = [](const Choice& choice) -> Claims {
      const Formula n = blocks_formula(choice, whole_message);
      const Formula rounds = if_many(n - 1 + ceil_log2(p()));
      const Formula moved = rounds * m() / n;
      return {.scratch = if_many(2 * ceil(m() / n)), .rounds = rounds, .volume = moved};
    },
    .schedule =
        [](const Problem& x) {
          return circulant_reduce(x.group, x.root, x.input, pipeline_blocks(x), x.scratch, x.memo);
        },
}};

}  // namespace
}  // namespace roundelay
