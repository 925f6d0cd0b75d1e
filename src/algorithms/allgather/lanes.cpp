// SPDX-License-Identifier: Apache-2.0
// allgather.lanes: the ranks of the same place in all parts gather their blocks, then every part
// gathers what its ranks have.
//
// Traff, Hunold 2020, Decomposing MPI Collectives for Exploiting Multi-lane Communication, section
// III; here also for parts of unequal sizes, where later ranks of greater parts first hand their
// block to one that has a lane. All links of a node carry data between nodes. Each stage is any
// allgatherv. What belongs together is no block of the output, so that m units wait in scratch
// memory, and are copied. A rank that only follows is sent its own block with those of its lane:
// to pass these on it would first have to copy its own among them.
//
//   nodes 0 1 2 and 3 4:   within:      2 -> 0
//                          inter:       0 <-> 3 (0 2, 3)    1 <-> 4
//                          allgatherv:  0 1 2    3 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/laned.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {
namespace {

Schedule lanes(Problem x) {
  const Partition& parts = parts_of(x);
  const int r = x.group.rank;
  const Laned laned(parts, r, x.blocks);
  const Lane& lane = laned.lane();
  const Slice all_blocks = x.scratch.part(0, laned.length());
  x.scratch = after(x.scratch, laned.length());

  if (lane.leads()) {
    RoundList list;
    for (const int other : lane.followers()) {
      list.add(recv(laned.of_rank(other, all_blocks), x.group[other]));
    }
    list.add(copy(x.blocks[r], laned.of_rank(r, all_blocks)));
    co_yield list;
    const Subgroup members = lane.group(x.group);
    Problem inter = stage_of(x, members, 1);
    inter.blocks = laned.own_lane(all_blocks);
    co_yield all(inter.choice->schedule(inter));
    co_yield fence(at_the_end);
  } else {
    co_yield round(send(x.blocks[r], x.group[lane.leader()]));
  }

  const Subgroup within = within_part(x.group, parts);
  Problem gather = stage_of(x, within, 2);
  gather.blocks = laned.lanes(all_blocks);
  co_yield all(gather.choice->schedule(gather));
  co_yield fence(at_the_end);

  RoundList copies;
  for (int rank = 0; rank < x.group.size; ++rank) {
    if (rank != r) copies.add(copy(laned.of_rank(rank, all_blocks), x.blocks[rank]));
  }
  co_yield copies;
}

const Registered entry{
    {.collective = Collective::allgather,
     .name = "lanes",
     .summary = "Each lane (the ranks at one position of all nodes or sites) gathers its blocks; "
                "then each node or site gathers the lanes.",
     .paper =
         "Traff, Hunold 2020, Decomposing MPI Collectives for Exploiting Multi-lane Communication",
     .restrictions = {Restriction::several_parts},
     .parameters = level_parameters(
         {{"inter", "how a lane gathers its blocks", Collective::allgatherv, "ring"},
          {"allgatherv", "how a node or site gathers the lanes", Collective::allgatherv, "ring"}}),
     .redundant = true,
     .claims = [](const Choice& choice) -> Claims {
       const LevelClaims levels(choice);
       Claims claims =
           LevelClaims::in_turn({levels.of_followers(longest_block()), levels.of_lanes(1),
                                 levels.within(2, m(), levels.longest_lane())});
       claims.scratch = m() + claims.scratch;
       return claims;
     },
     .schedule = [](const Problem& x) { return lanes(x); }},
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
