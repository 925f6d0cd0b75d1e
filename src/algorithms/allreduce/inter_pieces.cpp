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
//     allgather:        3 4, from half of the result each (allgather.circulant)
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/circulant.hpp"
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
  const Blocks blocks = Blocks::even(x.data, q);
  co_yield all(hand_over(x.group, Blocks::even(x.data, p), blocks, blocks[receivers.rank]));
  co_yield all(circulant_allgather(receivers, blocks, Skips::halving(q)));
}

Claims inter_pieces_claims(const Choice& choice) {
  Claims all = pieces_claims(choice, q());
  const Formula rounds = ceil_log2(q());
  const Formula gathered = (q() - 1) * ceil(m() / q());
  all.rounds = max(all.rounds, 1 + rounds);
  all.volume = max(all.volume, ceil(m() / q()) + gathered);
  return all;
}

const Registered entry{{.collective = Collective::allreduce,
                        .name = "inter_pieces",
                        .summary = "The senders do a reduce_scatter and send their pieces to the "
                                   "receivers, which gather them.",
                        .paper = "none: algorithms of one group",
                        .groups = Groups::two,
                        .parameters = {pieces_parameter()},
                        .claims = inter_pieces_claims,
                        .schedule = [](const Problem& x) { return inter_pieces(x); }}};

}  // namespace
}  // namespace roundelay
