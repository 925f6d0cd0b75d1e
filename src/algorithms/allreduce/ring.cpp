// SPDX-License-Identifier: Apache-2.0
// allreduce.ring: every block collects all contributions on one turn around the ring and is handed
// out on a second.
//
// Thakur, Rabenseifner, Gropp 2005, section 5.3, with the first half between neighbours too
// (Patarasuk, Yuan 2009). 2 (p - 1) rounds, 2 m (p - 1) / p units each way: no algorithm moves
// less; for very long messages. Block b is combined in the order of ranks b + 1, b + 2, .., b
// (modulo p): for commutative operations, with the same bits everywhere.
//
//   p = 5, rank 2:   round 0: sends block 1, receives 0 and combines
//                    round 1: sends block 0, receives 4 and combines
//                    round 2: sends block 4, receives 3 and combines
//                    round 3: sends block 3, receives 2 and combines: block 2 is done
//                    then allgather.ring
#include "algorithms/parts/ring.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {

Schedule ring_reduce_scatter(Group g, Blocks input, Blocks data, Slice scratch) {
  const bool in_place = input.whole() == data.whole();
  const Units longest = data[0].length();
  for (int step = 0; step + 1 < g.size; ++step) {
    const int sent = g.rank - step - 1;
    const int received = sent - 1;
    const Slice mine = input[received];
    // Two scratch blocks take turns, so that a block may arrive while the one before is combined.
    const Slice theirs =
        in_place ? scratch.part(step % 2 * longest, mine.length()) : data[received];
    co_yield round(send(step == 0 ? input[sent] : data[sent], g.right()), recv(theirs, g.left()),
                   in_place ? combine(theirs, mine) : combine(mine, theirs));
  }
}

namespace {

Schedule ring(Group g, Blocks data, Slice scratch) {
  co_yield all(ring_reduce_scatter(g, data, data, scratch));
  co_yield all(ring_allgather(g, data));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "ring",
    .summary = "Each block travels around the ring twice: once to be combined at every rank, once "
               "to be distributed.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 5.3",
    .restrictions = {Restriction::commutative},
    .common = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula once = m() * (p() - 1) / p();
      return {.scratch = if_many(2 * ceil(m() / p())),
              .rounds = 2 * (p() - 1),
              .volume = 2 * once,
              .symmetric = true};
    },
    .schedule =
        [](const Problem& x) {
          return ring(x.group, Blocks::even(x.data, x.group.size), x.scratch);
        },
}};

}  // namespace
}  // namespace roundelay
