// SPDX-License-Identifier: Apache-2.0
// allreduce.hier: every part combines at its first rank, these combine all, and hand the result
// out.
//
// The two levels of Karonis et al. 2000, of nodes or of sites; each stage is any reduce, allreduce
// and broadcast. An operation that does not commute needs the ranks of a part to follow each other.
// Every result is made by the ranks that stand for the parts: of the same bits everywhere.
//
//   nodes 0 1 2 and 3 4:   reduce:  1 2 -> 0    4 -> 3
//                          inter:   0 <-> 3
//                          bcast:   0 -> 1 2    3 -> 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {
namespace {

Schedule hier(Problem x) {
  const Partition& parts = parts_of(x);
  const Subgroup within = within_part(x.group, parts);
  Problem reduce = stage_of(x, within, 1);
  reduce.input = x.input;
  reduce.data = x.data;
  co_yield all(reduce.choice->schedule(reduce));
  co_yield fence(at_the_end);

  const Leaders leaders(parts, x.group.rank, 0);
  if (leaders.leads()) {
    const Subgroup between = leaders.group(x.group);
    Problem inter = stage_of(x, between, 2);
    inter.input = x.data;
    inter.data = x.data;
    co_yield all(inter.choice->schedule(inter));
    co_yield fence(at_the_end);
  }

  Problem bcast = stage_of(x, within, 3);
  bcast.data = x.data;
  co_yield all(bcast.choice->schedule(bcast));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "hier",
    .summary = "Each node or site reduces to its first rank, these ranks combine all data, and "
               "each broadcasts the result to its node or site.",
    .paper = "Karonis et al. 2000, Exploiting Hierarchy in Parallel Computer Networks",
    .restrictions = {Restriction::several_parts, Restriction::ordered_parts},
    .parameters = level_parameters(
        {{"reduce", "how a node or site reduces", Collective::reduce, "ordered"},
         {"inter", "how the nodes or sites combine", Collective::allreduce, "recursive_doubling"},
         {"bcast", "how the result is broadcast to a node or site", Collective::bcast,
          "binomial"}}),
    .claims = [](const Choice& choice) -> Claims {
      const LevelClaims levels(choice);
      return LevelClaims::in_turn(
          {levels.within(1, m()), levels.between(2, m()), levels.within(3, m())});
    },
    .schedule = [](const Problem& x) { return hier(x); },
}};

}  // namespace
}  // namespace roundelay
