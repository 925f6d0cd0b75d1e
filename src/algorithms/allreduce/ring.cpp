// SPDX-License-Identifier: Apache-2.0
// allreduce.ring: every block collects all contributions on one turn around the ring and is handed
// out on a second.
//
// Thakur, Rabenseifner, Gropp 2005, section 5.3, with the first half between neighbours too
// (Patarasuk, Yuan 2009). 2 (p - 1) rounds, 2 m (p - 1) / p units each way: no algorithm moves
// less; for very long messages. Block b is combined in the order of ranks b + 1, b + 2, .., b
// (modulo p): for commutative operations, with the same bits everywhere. With `group` k > 1 the
// k-ring of reduce_scatter.ring and allgather.ring (Wilkins et al. 2023).
//
//   p = 5, rank 2:   round 0: sends block 1, receives 0 and combines
//                    round 1: sends block 0, receives 4 and combines
//                    round 2: sends block 4, receives 3 and combines
//                    round 3: sends block 3, receives 2 and combines: block 2 is done
//                    then allgather.ring
#include "algorithms/parts/ring.hpp"

namespace roundelay {

namespace {

Schedule ring(Group g, Blocks input, Blocks data, Slice scratch, int k) {
  co_yield all(ring_reduce_scatter(g, input, data, scratch, k));
  co_yield all(ring_allgather(g, data, k));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "ring",
    .summary = "Each block travels around the ring twice: once to be combined at every rank, once "
               "to be distributed.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 5.3; Wilkins et al. 2023",
    .restrictions = {Restriction::commutative},
    .parameters = {group_parameter()},
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
          return ring(x.group, Blocks::even(x.input, x.group.size),
                      Blocks::even(x.data, x.group.size), x.scratch,
                      static_cast<int>(x.choice->number(0)));
        },
}};

}  // namespace
}  // namespace roundelay
