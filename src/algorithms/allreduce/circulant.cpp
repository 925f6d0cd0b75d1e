// SPDX-License-Identifier: Apache-2.0
// allreduce.circulant: every rank collects its block from ever more ranks before it, then the
// blocks go the same way back.
//
// Traff 2024, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms (arXiv:2410.14234).
// 2 ceil(log2 p) rounds, 2 m (p - 1) / p units each way, for every p. Ranks are combined as they
// come: for commutative operations. Each block is finished by one rank: the same bits everywhere.
//
//   p = 5, rank 2:   skips 3, 2, 1
//     round 0: sends blocks 0 1 to 0, receives 2 3 from 4 and combines
//     round 1: sends block  4   to 4, receives 2   from 0 and combines
//     round 2: sends block  3   to 3, receives 2   from 1 and combines: block 2 is done
//     round 3: sends block  2   to 1, receives 3   from 3
//     round 4: sends block  2   to 0, receives 4   from 4
//     round 5: sends blocks 2 3 to 4, receives 0 1 from 0
#include "algorithms/parts/circulant.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

// V[i] of the paper is block r + i of `data`: foreign partial results are combined where the own
// contribution to them was. Leaves the result of block r in place on rank r.
Schedule circulant_reduce_scatter(Group g, Blocks data, Slice scratch, Skips skip) {
  const int r = g.rank;
  SliceRoom room;
  for (int k = skip.rounds() - 1; k >= 0; --k) {
    const int s = skip[k];
    const int count = skip[k + 1] - s;
    // An even cut: never more than two pieces.
    const Slices mine = data.run(r, count, room);
    const Slice first = mine.empty() ? Slice() : mine.view().front();
    const Slice second = mine.size() < 2 ? Slice() : mine.view().back();
    const Slice theirs = scratch.part(0, mine.length());
    co_yield round(send(data.run(r + s, count, room), g[r + s]), recv(theirs, g[r - s]),
                   combine(theirs.part(0, first.length()), first),
                   combine(theirs.part(first.length(), second.length()), second));
  }
}

Schedule circulant(Group g, Blocks data, Slice scratch) {
  const Skips skip = Skips::halving(g.size);
  co_yield all(circulant_reduce_scatter(g, data, scratch, skip));
  co_yield all(circulant_allgather(g, data, skip));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "circulant",
    .summary =
        "Every rank collects its block from ever more ranks before it, then the blocks go the "
        "same way back.",
    .paper = "Traff 2024, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms",
    .restrictions = {Restriction::commutative},
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula q = ceil_log2(p());
      const Formula once = m() * (p() - 1) / p();
      return {.scratch = if_many(min(m(), floor(p() / 2) * ceil(m() / p()))),
              .rounds = 2 * q,
              .volume = 2 * once,
              .alpha = 2 * q,
              .beta = 2 * once,
              .gamma = once,
              .symmetric = true};
    },
    .schedule =
        [](const Problem& x) {
          return circulant(x.group, Blocks::even(x.data, x.group.size), x.scratch);
        },
}};

}  // namespace
}  // namespace roundelay
