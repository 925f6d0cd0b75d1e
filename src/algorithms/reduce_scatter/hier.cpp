// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.hier: every part combines at its first rank, these combine and share out the
// blocks of the parts, and hand each rank its own.
//
// The two levels of Karonis et al. 2000, of nodes or of sites; each stage is any reduce,
// reduce_scatter and scatterv. The blocks of a part have to follow each other between the parts:
// where they do not, they are arranged in scratch memory. An operation that does not commute needs
// the ranks of a part to follow each other.
//
//   nodes 0 1 2 and 3 4:   reduce:    1 2 -> 0    4 -> 3
//                          inter:     0 <-> 3
//                          scatterv:  0 -> 1 2    3 -> 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/arranged.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {
namespace {

Schedule hier(Problem x) {
  const Partition& parts = parts_of(x);
  const int r = x.group.rank;
  const Slice own = x.blocks[r];
  const Arranged arranged(parts, x.blocks);
  const Units apart = parts.consecutive() ? 0 : arranged.length();
  const Slice all_blocks = apart == 0 ? x.blocks.whole() : x.scratch.part(0, apart);
  x.scratch = after(x.scratch, apart);

  const Subgroup within = within_part(x.group, parts);
  Problem reduce = stage_of(x, within, 1);
  reduce.input = x.input;
  reduce.data = x.blocks.whole();
  co_yield all(reduce.choice->schedule(reduce));
  co_yield fence(at_the_end);

  const Leaders leaders(parts, r, 0);
  if (leaders.leads()) {
    if (apart > 0) {
      RoundList copies;
      for (int rank = 0; rank < x.group.size; ++rank) {
        copies.add(copy(x.blocks[rank], arranged.of_rank(rank, all_blocks)));
      }
      co_yield copies;
    }
    const Subgroup between = leaders.group(x.group);
    Problem inter = stage_of(x, between, 2);
    inter.input = all_blocks;
    inter.blocks = arranged.parts(all_blocks);
    co_yield all(inter.choice->schedule(inter));
    co_yield fence(at_the_end);
    if (apart > 0) co_yield round(copy(arranged.of_rank(r, all_blocks), own));
  }

  Problem scatter = stage_of(x, within, 3);
  scatter.blocks = arranged.of(parts.part_of(r), all_blocks);
  scatter.data = own;
  co_yield all(scatter.choice->schedule(scatter));
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "hier",
     .summary = "Each node or site reduces to its first rank, these ranks do a reduce_scatter, and "
                "each scatters the blocks of its node or site.",
     .paper = "Karonis et al. 2000, Exploiting Hierarchy in Parallel Computer Networks",
     .restrictions = {Restriction::several_parts, Restriction::ordered_parts},
     .parameters = level_parameters(
         {{"reduce", "how a node or site reduces", Collective::reduce, "ordered"},
          {"inter", "how the nodes or sites combine", Collective::reduce_scatter, "ordered"},
          {"scatterv", "how the ranks get their blocks", Collective::scatterv, "linear"}}),
     .claims = [](const Choice& choice) -> Claims {
       const LevelClaims levels(choice);
       const Formula of_part = levels.largest() * longest_block();
       Claims claims = LevelClaims::in_turn({levels.within(1, m()), levels.between(2, m(), of_part),
                                             levels.within(3, of_part, longest_block())});
       claims.scratch = m() + claims.scratch;
       return claims;
     },
     .schedule = [](const Problem& x) { return hier(x); }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
