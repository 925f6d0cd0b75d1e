// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.inter_pieces: the senders reduce and scatter, then hand their pieces over to those
// of the receivers whose blocks they are.
//
// Natively they reduce to one of them, who sends all m units to one receiver, who scatters them.
// Here no rank moves more than m (p - 1) / p units and its piece or block, and all links between
// the groups are used at once.
//
//   p = 3, q = 2 (senders 0 1 2, receivers 3 4):
//     reduce_scatter:   0 1 2, a third of the result each
//     then:             0 -> 3   1 -> 3 4   2 -> 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pieces.hpp"

namespace roundelay {
namespace {

Schedule inter_pieces(Problem x) {
  Blocks wanted = x.blocks;
  if (x.group.rank < x.senders) {
    const Slice work = x.scratch.part(0, x.input.length());
    co_yield all(reduce_to_pieces(x, work));
    wanted = x.blocks.over(work);
  }
  co_yield all(hand_over(x.group, Blocks::even(wanted.whole(), x.senders), wanted, x.data));
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "inter_pieces",
     .summary =
         "The senders do a reduce_scatter; then they send each receiver the pieces of its block.",
     .paper = "none: algorithms of one group",
     .groups = Groups::two,
     .parameters = {pieces_parameter()},
     .claims = [](const Choice& choice) { return pieces_claims(choice, q()); },
     .schedule = [](const Problem& x) { return inter_pieces(x); }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
