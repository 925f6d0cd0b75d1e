// SPDX-License-Identifier: Apache-2.0
// barrier.lanes: all of a part meet, then every rank meets those of its place in the other parts.
//
// What the lanes of Traff, Hunold 2020 are for a barrier: no rank has to be told that others have
// met, but later ranks of greater parts. One stage less than barrier.hier, for more messages
// between the parts. Each stage is any barrier.
//
//   nodes 0 1 2 and 3 4:   intra:   0 1 2    3 4
//                          inter:   0 3      1 4
//                          within:  0 -> 2
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/lane.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {
namespace {

Schedule lanes(Problem x) {
  const Partition& parts = parts_of(x);
  const Subgroup within = within_part(x.group, parts);
  const Problem intra = stage_of(x, within, 1);
  co_yield all(intra.choice->schedule(intra));

  const Lane lane(parts, x.group.rank);
  if (!lane.leads()) {
    co_yield round(recv_token(x.group[lane.leader()]));
    co_return;
  }
  const Subgroup members = lane.group(x.group);
  const Problem inter = stage_of(x, members, 2);
  co_yield all(inter.choice->schedule(inter));
  RoundList list;
  for (const int other : lane.followers()) list.add(send_token(x.group[other]));
  co_yield list;
}

const Registered entry{{
    .collective = Collective::barrier,
    .name = "lanes",
    .summary = "The ranks of each node or site meet; then every rank meets the ranks at its "
               "position in the others.",
    .paper =
        "Traff, Hunold 2020, Decomposing MPI Collectives for Exploiting Multi-lane Communication",
    .restrictions = {Restriction::several_parts},
    .parameters = level_parameters(
        {{"intra", "how it is done within a node or site", Collective::barrier, "dissemination"},
         {"inter", "how it is done in a lane", Collective::barrier, "dissemination"}}),
    .claims = [](const Choice& choice) -> Claims {
      const LevelClaims levels(choice);
      return LevelClaims::in_turn(
          {levels.within(1, 0), levels.between(2, 0), levels.of_followers(0)});
    },
    .schedule = [](const Problem& x) { return lanes(x); },
}};

}  // namespace
}  // namespace roundelay
