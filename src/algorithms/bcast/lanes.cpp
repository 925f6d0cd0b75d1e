// SPDX-License-Identifier: Apache-2.0
// bcast.lanes: the root's part shares the message out, every share goes to the ranks of the same
// place in the other parts, and every part gathers them.
//
// Traff, Hunold 2020, Decomposing MPI Collectives for Exploiting Multi-lane Communication, section
// III; here also for parts of unequal sizes, where only as many ranks of each have a share as the
// smallest has. Each stage is any scatterv, broadcast and allgatherv. In the allgatherv of its part
// the root only sends: it holds all shares.
//
//   nodes 0 1 2 and 3 4, root 1, shares a and b:   scatterv:    1 -> 0 (a); 1 keeps b
//                                                  inter:       0 -> 3 (a)    1 -> 4 (b)
//                                                  allgatherv:  0 1 2    3 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/levels.hpp"
#include "algorithms/parts/shares.hpp"
#include "algorithms/parts/without_held.hpp"

namespace roundelay {
namespace {

Schedule lanes(Problem x) {
  const Partition& parts = parts_of(x);
  const Shares shares(parts, x.group.rank, x.data);
  const Subgroup within = within_part(x.group, parts);
  const bool with_root = parts.part_of(x.group.rank) == parts.part_of(x.root);
  if (with_root) {
    Problem scatter = stage_of(x, within, 1);
    scatter.root = parts.place_of(x.root);
    scatter.blocks = shares.blocks();
    scatter.data = shares.own();
    co_yield all(scatter.choice->schedule(scatter));
    co_yield fence(at_the_end);
  }

  if (shares.has_one()) {
    const Subgroup lane = shares.lane(x.group);
    Problem inter = stage_of(x, lane, 2);
    inter.root = parts.part_of(x.root);
    inter.data = shares.own();
    co_yield all(inter.choice->schedule(inter));
    co_yield fence(at_the_end);
  }

  Problem gather = stage_of(x, within, 3);
  gather.blocks = shares.blocks();
  const auto held = [&](int place) {
    return with_root && place == parts.place_of(x.root) ? x.data : Slice();
  };
  co_yield all(without_held(gather, held));
}

const Registered entry{{
    .collective = Collective::bcast,
    .name = "lanes",
    .summary = "The root's node or site scatters the message, each share is broadcast to the ranks "
               "at the same position in the others, and each node or site gathers the shares.",
    .paper =
        "Traff, Hunold 2020, Decomposing MPI Collectives for Exploiting Multi-lane Communication",
    .restrictions = {Restriction::several_parts},
    .parameters = level_parameters(
        {{"scatterv", "how the root's node or site scatters", Collective::scatterv, "linear"},
         {"inter", "how a share is broadcast to the others", Collective::bcast, "binomial"},
         {"allgatherv", "how a node or site gathers the shares", Collective::allgatherv, "ring"}}),
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
