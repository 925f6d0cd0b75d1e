// SPDX-License-Identifier: Apache-2.0
// allreduce.lanes: every rank of a part combines a share of the data, with the ranks of the same
// place in the other parts.
//
// Traff, Hunold 2020, Decomposing MPI Collectives for Exploiting Multi-lane Communication, section
// III; here also for parts of unequal sizes, where only as many ranks of each have a share as the
// smallest has. All links of a node carry data between nodes. Each stage is any reduce_scatter,
// allreduce and allgatherv.
//
//   nodes 0 1 2 and 3 4, shares a and b:   reduce_scatter:  0 gets a, 1 gets b    3 gets a, 4 gets
//   b
//                                          inter:           0 <-> 3 (a)    1 <-> 4 (b)
//                                          allgatherv:      0 1 2    3 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/levels.hpp"
#include "algorithms/parts/shares.hpp"

namespace roundelay {
namespace {

Schedule lanes(Problem x) {
  const Partition& parts = parts_of(x);
  const Shares shares(parts, x.group.rank, x.data);
  const Subgroup within = within_part(x.group, parts);
  Problem scatter = stage_of(x, within, 1);
  scatter.input = x.input;
  scatter.blocks = shares.blocks();
  co_yield all(scatter.choice->schedule(scatter));
  co_yield fence(at_the_end);

  if (shares.has_one()) {
    const Subgroup lane = shares.lane(x.group);
    Problem inter = stage_of(x, lane, 2);
    inter.input = shares.own();
    inter.data = shares.own();
    co_yield all(inter.choice->schedule(inter));
    co_yield fence(at_the_end);
  }

  Problem gather = stage_of(x, within, 3);
  gather.blocks = shares.blocks();
  co_yield all(gather.choice->schedule(gather));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "lanes",
    .summary = "Each node or site does a reduce_scatter, ranks at the same position in all of them "
               "combine their shares, and each node or site gathers the result.",
    .paper =
        "Traff, Hunold 2020, Decomposing MPI Collectives for Exploiting Multi-lane Communication",
    .restrictions = {Restriction::several_parts, Restriction::ordered_parts},
    .parameters = level_parameters(
        {{"reduce_scatter", "how a node or site combines its shares", Collective::reduce_scatter,
          "ordered"},
         {"inter", "how a lane combines its share", Collective::allreduce, "recursive_doubling"},
         {"allgatherv", "how a node or site gathers the result", Collective::allgatherv, "ring"}}),
    .claims = [](const Choice& choice) -> Claims {
      const LevelClaims levels(choice);
      const Formula share = ceil(m() / levels.smallest());
      return LevelClaims::in_turn(
          {levels.within(1, m(), share), levels.between(2, share), levels.within(3, m(), share)});
    },
    .schedule = [](const Problem& x) { return lanes(x); },
}};

}  // namespace
}  // namespace roundelay
