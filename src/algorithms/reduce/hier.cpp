// SPDX-License-Identifier: Apache-2.0
// reduce.hier: every part combines at one of its ranks, and these combine at the root.
//
// bcast.hier backwards, of nodes or of sites; each stage is any reduce. A part's first rank stands
// for it, the root for its own. An operation that does not commute needs the ranks of a part to
// follow each other.
//
//   nodes 0 1 2 and 3 4, root 1:   intra:  0 2 -> 1    4 -> 3
//                                  inter:  3 -> 1
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {
namespace {

Schedule hier(Problem x) {
  const Partition& parts = parts_of(x);
  const Leaders leaders(parts, x.group.rank, x.root);
  const Subgroup within = within_part(x.group, parts);
  Problem intra = stage_of(x, within, 1);
  intra.root = leaders.place();
  intra.input = x.input;
  intra.data = x.data;
  co_yield all(intra.choice->schedule(intra));
  if (!leaders.leads()) co_return;

  co_yield fence(at_the_end);
  const Subgroup between = leaders.group(x.group);
  Problem inter = stage_of(x, between, 2);
  inter.root = parts.part_of(x.root);
  inter.input = x.data;
  inter.data = x.data;
  co_yield all(inter.choice->schedule(inter));
}

const Registered entry{{
    .collective = Collective::reduce,
    .name = "hier",
    .summary = "Each node or site reduces to one of its ranks, and these ranks reduce to the root.",
    .paper = "Karonis et al. 2000, Exploiting Hierarchy in Parallel Computer Networks",
    .restrictions = {Restriction::several_parts, Restriction::ordered_parts},
    .parameters = level_parameters(
        {{"intra", "how it is done within a node or site", Collective::reduce, "ordered"},
         {"inter", "how it is done between nodes or sites", Collective::reduce, "ordered"}}),
    .claims = [](const Choice& choice) -> Claims {
      const LevelClaims levels(choice);
      return LevelClaims::in_turn({levels.within(1, m()), levels.between(2, m())});
    },
    .schedule = [](const Problem& x) { return hier(x); },
}};

}  // namespace
}  // namespace roundelay
