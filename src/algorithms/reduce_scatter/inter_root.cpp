// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.inter_root: the senders reduce to one of them, who sends the result to one
// receiver, who scatters it.
//
// What MPICH and Open MPI do: the baseline. All m units pass through one link, before and after it
// through one rank.
//
//   p = 3, q = 2 (senders 0 1 2, receivers 3 4):
//     reduce:    1 2 -> 0
//     then       0 -> 3
//     scatter:   3 -> 4 (block 1)
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/binomial.hpp"
#include "algorithms/parts/leaders.hpp"

namespace roundelay {
namespace {

Schedule scattered(Problem x) {
  const Subgroup receivers = x.group.strided(x.senders, 1, x.group.size - x.senders);
  const Blocks held = x.blocks.over(x.scratch.part(0, x.blocks.whole().length()));
  if (receivers.rank == 0) co_yield round(recv(held.whole(), x.group[0]));
  co_yield all(binomial_scatter(receivers, held));
  co_yield round(copy(held[receivers.rank], x.data));
}

Claims inter_root_claims(const Choice& choice) {
  const Claims reduced = leader_claims(choice);
  const Formula down = ceil_log2(q());
  return {.scratch = reduced.scratch,
          .rounds = max(reduced.rounds, 1 + down),
          .volume = max(reduced.volume, 2 * m()),
          .ports = reduced.ports,
          .at_most = true};
}

const Registered entry{{.collective = Collective::reduce_scatter,
                        .name = "inter_root",
                        .summary = "The senders reduce to one of them, which sends the result to "
                                   "one receiver, which scatters it.",
                        .paper = "MPICH and Open MPI",
                        .groups = Groups::two,
                        .parameters = {leader_parameter()},
                        .common = true,
                        .claims = inter_root_claims,
                        .schedule =
                            [](const Problem& x) {
                              return x.group.rank < x.senders ? reduce_to_leader(x) : scattered(x);
                            }},
                       {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
