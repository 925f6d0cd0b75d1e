// SPDX-License-Identifier: Apache-2.0
// bcast.hier: the message goes to one rank of each part, which hands it on to the others.
//
// The two levels of Karonis et al. 2000 (MagPIe before, MPICH-G2), of nodes or of sites; each stage
// is any broadcast. A part's first rank stands for it, the root for its own.
//
//   nodes 0 1 2 and 3 4, root 1:   inter:  1 -> 3
//                                  intra:  1 -> 0 2    3 -> 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {
namespace {

Schedule hier(Problem x) {
  const Partition& parts = parts_of(x);
  const Leaders leaders(parts, x.group.rank, x.root);
  if (leaders.leads()) {
    const Subgroup between = leaders.group(x.group);
    Problem inter = stage_of(x, between, 2);
    inter.root = parts.part_of(x.root);
    inter.data = x.data;
    co_yield all(inter.choice->schedule(inter));
    co_yield fence(at_the_end);
  }
  const Subgroup within = within_part(x.group, parts);
  Problem intra = stage_of(x, within, 1);
  intra.root = leaders.place();
  intra.data = x.data;
  co_yield all(intra.choice->schedule(intra));
}

const Registered entry{{
    .collective = Collective::bcast,
    .name = "hier",
    .summary = "The message goes to one rank of each node or site, which broadcasts it there.",
    .paper = "Karonis et al. 2000, Exploiting Hierarchy in Parallel Computer Networks",
    .restrictions = {Restriction::several_parts},
    .parameters = level_parameters(
        {{"intra", "how it is done within a node or site", Collective::bcast, "binomial"},
         {"inter", "how it is done between nodes or sites", Collective::bcast, "binomial"}}),
    .claims = [](const Choice& choice) -> Claims {
      const LevelClaims levels(choice);
      return LevelClaims::in_turn({levels.between(2, m()), levels.within(1, m())});
    },
    .schedule = [](const Problem& x) { return hier(x); },
}};

}  // namespace
}  // namespace roundelay
