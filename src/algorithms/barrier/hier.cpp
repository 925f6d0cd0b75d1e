// SPDX-License-Identifier: Apache-2.0
// barrier.hier: all of a part meet, then one of each part meets the others, then all of a part meet
// again.
//
// The two levels of Karonis et al. 2000, of nodes or of sites; each stage is any barrier. The
// second meeting of a part tells its ranks that the first rank has met the others.
//
//   nodes 0 1 2 and 3 4:   intra:  0 1 2    3 4
//                          inter:  0 3
//                          intra:  0 1 2    3 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {
namespace {

Schedule hier(Problem x) {
  const Partition& parts = parts_of(x);
  const Subgroup within = within_part(x.group, parts);
  const Problem intra = stage_of(x, within, 1);
  co_yield all(intra.choice->schedule(intra));
  const Leaders leaders(parts, x.group.rank, 0);
  if (leaders.leads()) {
    const Subgroup between = leaders.group(x.group);
    const Problem inter = stage_of(x, between, 2);
    co_yield all(inter.choice->schedule(inter));
  }
  co_yield all(intra.choice->schedule(intra));
}

const Registered entry{{
    .collective = Collective::barrier,
    .name = "hier",
    .summary = "The ranks of each node or site meet, then their first ranks meet, then the ranks "
               "of each node or site meet again.",
    .paper = "Karonis et al. 2000, Exploiting Hierarchy in Parallel Computer Networks",
    .restrictions = {Restriction::several_parts},
    .parameters = level_parameters(
        {{"intra", "how it is done within a node or site", Collective::barrier, "dissemination"},
         {"inter", "how it is done between nodes or sites", Collective::barrier, "dissemination"}}),
    .claims = [](const Choice& choice) -> Claims {
      const LevelClaims levels(choice);
      const Claims intra = levels.within(1, 0);
      return LevelClaims::in_turn({intra, levels.between(2, 0), intra});
    },
    .schedule = [](const Problem& x) { return hier(x); },
}};

}  // namespace
}  // namespace roundelay
