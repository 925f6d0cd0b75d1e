// SPDX-License-Identifier: Apache-2.0
// allreduce.inter_root: the senders reduce to one of them, who sends the result to one receiver,
// who broadcasts it.
//
// What MPICH and Open MPI do: the baseline. All m units pass through one link, before and after it
// through one rank.
//
//   p = 3, q = 2 (senders 0 1 2, receivers 3 4):
//     reduce:      1 2 -> 0
//     then         0 -> 3
//     broadcast:   3 -> 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/leaders.hpp"

namespace roundelay {
namespace {

Claims inter_root_claims(const Choice& choice) {
  const Claims reduced = leader_claims(choice);
  const Claims bcast = choice.nested(1).claims();
  const auto then = [](const Formula& claim) { return Formula::of_even_part(claim, q(), m()); };
  return {.scratch = max(reduced.scratch, then(bcast.scratch)),
          .rounds = max(reduced.rounds, 1 + then(bcast.rounds)),
          .volume = max(reduced.volume, m() + then(bcast.volume)),
          .ports = max(reduced.ports, then(bcast.ports)),
          .at_most = true};
}

const Registered entry{{.collective = Collective::allreduce,
                        .name = "inter_root",
                        .summary = "The senders reduce to one of them, which sends the result to "
                                   "one receiver, which broadcasts it.",
                        .paper = "MPICH and Open MPI",
                        .groups = Groups::two,
                        .parameters = {leader_parameter(),
                                       {.name = "bcast",
                                        .summary = "how the receiver broadcasts the result",
                                        .kind = Parameter::Kind::algorithm,
                                        .collective = Collective::bcast,
                                        .standard = "scatter_allgather"}},
                        .common = true,
                        .claims = inter_root_claims,
                        .schedule = [](const Problem& x) {
                          return x.group.rank < x.senders ? reduce_to_leader(x)
                                                          : broadcast_by_leader(x, x.data, 1);
                        }}};

}  // namespace
}  // namespace roundelay
