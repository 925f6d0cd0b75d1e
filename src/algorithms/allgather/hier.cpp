// SPDX-License-Identifier: Apache-2.0
// allgather.hier: every part gathers at its first rank, these gather all, and hand it out.
//
// The two levels of Karonis et al. 2000, of nodes or of sites; each stage is any gather, allgatherv
// and broadcast. The blocks of a part have to follow each other between the parts: where they do
// not in the output, all of it is arranged in scratch memory. The broadcast hands out all blocks as
// one message, so that every rank is sent those that it gave, too: without them the message would
// be in two pieces.
//
//   nodes 0 2 4 and 1 3:   gather:  2 4 -> 0    3 -> 1
//                          inter:   0 <-> 1
//                          bcast:   0 -> 2 4    1 -> 3, and out of the order 0 2 4 1 3
#include <array>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/arranged.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {
namespace {

Schedule hier(Problem x) {
  const Partition& parts = parts_of(x);
  const int r = x.group.rank;
  const int own_part = parts.part_of(r);
  const Arranged arranged(parts, x.blocks);
  const bool direct = x.blocks.is_even() && parts.consecutive();
  const Units apart = direct ? 0 : arranged.length();
  const Slice all_blocks = direct ? x.blocks.whole() : x.scratch.part(0, apart);
  const Slice own = arranged.of_rank(r, all_blocks);
  x.scratch = after(x.scratch, apart);
  if (!direct) co_yield round(copy(x.blocks[r], own));

  const Subgroup within = within_part(x.group, parts);
  Problem gather = stage_of(x, within, 1);
  gather.blocks = arranged.of(own_part, all_blocks);
  if (within.rank > 0) gather.input = own;
  co_yield all(gather.choice->schedule(gather));
  co_yield fence(at_the_end);

  const Leaders leaders(parts, r, 0);
  if (leaders.leads()) {
    const Subgroup between = leaders.group(x.group);
    Problem inter = stage_of(x, between, 2);
    inter.blocks = arranged.parts(all_blocks);
    co_yield all(inter.choice->schedule(inter));
    co_yield fence(at_the_end);
  }

  Problem bcast = stage_of(x, within, 3);
  bcast.data = all_blocks;
  co_yield all(bcast.choice->schedule(bcast));
  if (direct) co_return;

  co_yield fence(at_the_end);
  RoundList copies;
  for (int rank = 0; rank < x.group.size; ++rank) {
    if (rank != r) copies.add(copy(arranged.of_rank(rank, all_blocks), x.blocks[rank]));
  }
  co_yield copies;
}

Algorithm algorithm(Collective collective, Collective gather) {
  return {.collective = collective,
          .name = "hier",
          .summary =
              "Each node or site gathers at its first rank, these ranks gather all blocks, and "
              "each broadcasts them to its node or site.",
          .paper = "Karonis et al. 2000, Exploiting Hierarchy in Parallel Computer Networks",
          .restrictions = {Restriction::several_parts},
          .parameters = level_parameters(
              {{"gather", "how a node or site gathers", gather, "linear"},
               {"inter", "how the nodes or sites gather", Collective::allgatherv, "ring"},
               {"bcast", "how all blocks are broadcast to a node or site", Collective::bcast,
                "binomial"}}),
          .redundant = true,
          .claims = [](const Choice& choice) -> Claims {
            const LevelClaims levels(choice);
            const Formula of_part = levels.largest() * longest_block();
            Claims claims =
                LevelClaims::in_turn({levels.within(1, of_part, longest_block()),
                                      levels.between(2, m(), of_part), levels.within(3, m())});
            claims.scratch = m() + claims.scratch;
            return claims;
          },
          .schedule = [](const Problem& x) { return hier(x); }};
}

const std::array entry{Registered{algorithm(Collective::allgather, Collective::gather)},
                       Registered{algorithm(Collective::allgatherv, Collective::gatherv)}};

}  // namespace
}  // namespace roundelay
