// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.lanes: every rank of a part combines the blocks of the ranks of its place, with
// these in the other parts.
//
// Traff, Hunold 2020, Decomposing MPI Collectives for Exploiting Multi-lane Communication, section
// III; here also for parts of unequal sizes, where later ranks of greater parts get their block
// from one that has a lane. All links of a node carry data between nodes. Each stage is any
// reduce_scatter. The blocks of a lane have to follow each other, so that all m units are arranged
// in scratch memory. An operation that does not commute needs the ranks of a part to follow each
// other.
//
//   nodes 0 1 2 and 3 4:   reduce_scatter:  0 (0 2, 3)  1 (1, 4)  2 (nothing)    3 (0 2, 3)  4 (1,
//   4)
//                          inter:           0 <-> 3    1 <-> 4
//                          within:          0 -> 2
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
  const Blocks contribution = x.blocks.over(x.input);
  RoundList list;
  for (int rank = 0; rank < x.group.size; ++rank) {
    list.add(copy(contribution[rank], laned.of_rank(rank, all_blocks)));
  }
  co_yield list;

  const Subgroup within = within_part(x.group, parts);
  Problem scatter = stage_of(x, within, 1);
  scatter.input = all_blocks;
  scatter.blocks = laned.lanes(all_blocks);
  co_yield all(scatter.choice->schedule(scatter));
  co_yield fence(at_the_end);
  if (!lane.leads()) {
    co_yield round(recv(x.blocks[r], x.group[lane.leader()]));
    co_return;
  }

  const Subgroup members = lane.group(x.group);
  Problem inter = stage_of(x, members, 2);
  inter.blocks = laned.own_lane(all_blocks);
  inter.input = inter.blocks.whole();
  co_yield all(inter.choice->schedule(inter));
  co_yield fence(at_the_end);

  list.clear();
  for (const int other : lane.followers()) {
    list.add(send(laned.of_rank(other, all_blocks), x.group[other]));
  }
  list.add(copy(laned.of_rank(r, all_blocks), x.blocks[r]));
  co_yield list;
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "lanes",
     .summary = "Each node or site does a reduce_scatter, which gives each lane its share; then "
                "each lane does one across nodes or sites.",
     .paper =
         "Traff, Hunold 2020, Decomposing MPI Collectives for Exploiting Multi-lane Communication",
     .restrictions = {Restriction::several_parts, Restriction::ordered_parts},
     .parameters = level_parameters(
         {{"reduce_scatter", "how a node or site combines its shares", Collective::reduce_scatter,
           "ordered"},
          {"inter", "how a lane combines its share", Collective::reduce_scatter, "ordered"}}),
     .claims = [](const Choice& choice) -> Claims {
       const LevelClaims levels(choice);
       Claims claims =
           LevelClaims::in_turn({levels.within(1, m(), levels.longest_lane()), levels.of_lanes(2),
                                 levels.of_followers(longest_block())});
       claims.scratch = m() + claims.scratch;
       return claims;
     },
     .schedule = [](const Problem& x) { return lanes(x); }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
