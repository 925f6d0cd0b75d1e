// SPDX-License-Identifier: Apache-2.0
// allreduce.inter_pieces: the senders reduce and scatter, hand their pieces over to the receivers,
// and these gather them.
//
// Natively the senders reduce to one of them, who sends all m units to one receiver, who broadcasts
// them. Here about m units pass through every rank of either group, and all links between the
// groups are used at once.
//
//   p = 3, q = 2 (senders 0 1 2, receivers 3 4):
//     reduce_scatter:   0 1 2, a third of the result each
//     then:             0 -> 3   1 -> 3 4   2 -> 4
//     allgather:        3 4, from half of the result each
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pieces.hpp"

namespace roundelay {
namespace {

Schedule inter_pieces(Problem x) {
  const int p = x.senders;
  const int q = x.group.size - p;
  if (x.group.rank < p) {
    const Slice work = x.scratch.part(0, x.input.length());
    co_yield all(reduce_to_pieces(x, work));
    co_yield all(hand_over(x.group, Blocks::even(work, p), Blocks::even(work, q), Slice()));
    co_return;
  }
  const Subgroup receivers = x.group.strided(p, 1, q);
  const Problem gathering{.group = receivers,
                          .data = x.data,
                          .blocks = Blocks::even(x.data, q),
                          .scratch = x.scratch,
                          .startup = x.startup,
                          .memo = x.memo,
                          .choice = &x.choice->nested(1)};
  const Slice own = gathering.blocks[receivers.rank];
  co_yield all(hand_over(x.group, Blocks::even(x.data, p), gathering.blocks, own));
  co_yield all(gathering.choice->schedule(gathering));
}

Claims claims(const Choice& choice) {
  const Claims pieces = pieces_claims(choice, q());
  const Claims allgather = choice.nested(1).claims();
  const auto among = [](const Formula& claim) {
    return Formula::of_part(claim, q(), q() * ceil(m() / q()));
  };
  return {.scratch = max(pieces.scratch, among(allgather.scratch)),
          .rounds = max(pieces.rounds, 1 + among(allgather.rounds)),
          .volume = max(pieces.volume, ceil(m() / q()) + among(allgather.volume)),
          .alpha = pieces.alpha + among(allgather.alpha),
          .beta = pieces.beta + among(allgather.beta),
          .gamma = pieces.gamma,
          .ports = max(pieces.ports, among(allgather.ports)),
          .at_most = true};
}

const Registered entry{
    {.collective = Collective::allreduce,
     .name = "inter_pieces",
     .summary =
         "The senders reduce and scatter, hand their pieces over to the receivers, and these "
         "gather them.",
     .paper = "none: algorithms of one group",
     .groups = Groups::two,
     .parameters = {pieces_parameter(),
                    {.name = "allgather",
                     .summary = "how the receivers gather the pieces",
                     .kind = Parameter::Kind::algorithm,
                     .collective = Collective::allgather,
                     .standard = "circulant"}},
     .claims = claims,
     .schedule = [](const Problem& x) { return inter_pieces(x); }}};

}  // namespace
}  // namespace roundelay
