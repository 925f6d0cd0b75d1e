// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.circulant: every rank collects its block from ever more ranks before it.
//
// Traff 2024, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms (arXiv:2410.14234).
// ceil(log2 p) rounds and m (p - 1) / p units each way for every p: no algorithm needs less of
// either. Where one rank's block is most of the data, it is cut into n > 1 pieces: the rounds of
// allgather.circulant backwards, n - 1 + ceil(log2 p) of them (Traff 2024, Optimal broadcast
// schedules in logarithmic time, section 4). Ranks are combined as they come: for commutative
// operations.
//
//   p = 5, rank 2:   skips 3, 2, 1
//     round 0: sends blocks 0 1 to 0, receives 2 3 from 4 and combines
//     round 1: sends block  4   to 4, receives 2   from 0 and combines
//     round 2: sends block  3   to 3, receives 2   from 1 and combines: block 2 is done
#include "algorithms/parts/circulant.hpp"

#include <memory>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/piecewise.hpp"
#include "algorithms/parts/pipeline.hpp"

namespace roundelay {

// V[i] of the paper is block r + i of `data`: foreign partial results are combined where the own
// contribution to them was.
Schedule circulant_reduce_scatter(Group g, Blocks data, Slice scratch, Skips skip) {
  const int r = g.rank;
  SliceRoom room;
  for (int k = skip.rounds() - 1; k >= 0; --k) {
    const int s = skip[k];
    const int count = skip[k + 1] - s;
    // Blocks one after the other: never more than two pieces.
    const Slices mine = data.run(r, count, room);
    const Slice first = mine.empty() ? Slice() : mine.view().front();
    const Slice second = mine.size() < 2 ? Slice() : mine.view().back();
    const Slice theirs = scratch.part(0, mine.length());
    co_yield round(send(data.run(r + s, count, room), g[r + s]), recv(theirs, g[r - s]),
                   combine(theirs.part(0, first.length()), first),
                   combine(theirs.part(first.length(), second.length()), second));
  }
}

namespace {

// Where a piece would come from in the allgather its partial result goes, and the other way round.
Schedule pipelined(Group g, Blocks data, int n, Slice scratch,
                   std::shared_ptr<const CirculantTable> table) {
  const Skips skip = Skips::halving(g.size);
  const Pipeline pipeline(g.size, n);
  SliceRoom sent;
  SliceRoom into;
  RoundList list;
  for (int i = pipeline.end(); i-- > pipeline.begin();) {
    const int k = pipeline.skip(i);
    const auto to = g.rank + skip[k] < g.size ? g.rank + skip[k] : g.rank + skip[k] - g.size;
    sent.clear();
    into.clear();
    const Slices given = all_roots(data, n, pipeline, *table, i, g.rank, sent);
    const Slices mine = all_roots(data, n, pipeline, *table, i, to, into);
    const Slice theirs = scratch.part(0, mine.length());
    list.clear().add(send(given, g[g.rank - skip[k]])).add(recv(theirs, g[to]));
    combine_piecewise(list, theirs, mine);
    co_yield list;
  }
}

Schedule circulant(Problem x) {
  const int p = x.group.size;
  const AllRoots cut = cut_of_all_roots(x);
  if (x.input != x.blocks.whole()) co_yield round(copy(x.input, x.blocks.whole()));
  if (cut.n == 1 || p == 1) {
    co_yield all(circulant_reduce_scatter(x.group, x.blocks, x.scratch, cut.skip));
  } else {
    co_yield all(pipelined(x.group, x.blocks, cut.n, x.scratch, CirculantMemo::table(x.memo, p)));
  }
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "circulant",
     .summary = "Each rank combines its block from more and more ranks before it.",
     .paper = "Traff 2024, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms",
     .restrictions = {Restriction::commutative},
     .parameters = {blocks_parameter()},
     .claims = [](const Choice& choice) -> Claims {
       const Formula rounds = rounds_of_all_roots(choice);
       // Whole blocks, half of them; or a piece of each.
       return {.scratch = if_many(min(
                   m(), max(floor(p() / 2) * longest_block(), p() * piece_of_all_roots(choice)))),
               .rounds = rounds,
               .volume = m() * (p() - 1) / p(),
               .symmetric = true};
     },
     .schedule = [](const Problem& x) { return circulant(x); }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
