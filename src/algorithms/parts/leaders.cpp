// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/leaders.hpp"

namespace roundelay {

Schedule reduce_to_leader(Problem x) {
  const Units m = x.input.length();
  const Subgroup senders = x.group.strided(0, 1, x.senders);
  const Problem reduction{.group = senders,
                          .commutative = x.commutative,
                          .input = x.input,
                          .data = x.scratch.part(0, m),
                          .scratch = after(x.scratch, m),
                          .network = x.network,
                          .memo = x.memo,
                          .choice = &x.choice->nested(0)};
  co_yield all(reduction.choice->schedule(reduction));
  if (senders.rank == 0) co_yield round(send(reduction.data, x.group[x.senders]));
}

Schedule broadcast_by_leader(Problem x, Slice data, std::size_t nested) {
  const Subgroup receivers = x.group.strided(x.senders, 1, x.group.size - x.senders);
  const Problem broadcast{.group = receivers,
                          .data = data,
                          .scratch = x.scratch,
                          .network = x.network,
                          .memo = x.memo,
                          .choice = &x.choice->nested(nested)};
  if (receivers.rank == 0) co_yield round(recv(data, x.group[0]));
  co_yield all(broadcast.choice->schedule(broadcast));
}

Claims leader_claims(const Choice& choice) {
  const Claims reduce = choice.nested(0).claims();
  const auto among = [](const Formula& claim) { return Formula::of_even_part(claim, p(), m()); };
  return {.scratch = m() + among(reduce.scratch),
          .rounds = among(reduce.rounds) + 1,
          .volume = among(reduce.volume) + m(),
          .ports = among(reduce.ports),
          .at_most = true};
}

Parameter leader_parameter() {
  return {.name = "reduce",
          .summary = "how the senders reduce",
          .kind = Parameter::Kind::algorithm,
          .collective = Collective::reduce,
          .standard = "ordered"};
}

}  // namespace roundelay
