// SPDX-License-Identifier: Apache-2.0
// reduce.inter_pieces: the senders reduce and scatter, then each sends its piece to the root.
//
// Natively they reduce to one of them, who sends all m units to the root. Here the root receives m
// units from all at once, after a reduce_scatter of m (p - 1) / p units among p. The other ranks of
// the root's group do nothing.
//
//   p = 3, q = 2, root 4 (senders 0 1 2):
//     reduce_scatter:   0 1 2, a third of the result each
//     then:             0 -> 4   1 -> 4   2 -> 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pieces.hpp"

namespace roundelay {
namespace {

Schedule inter_pieces(Problem x) {
  const int p = x.senders;
  const bool sends = x.group.rank < p;
  if (!sends && x.group.rank != x.root) co_return;
  const Slice whole = sends ? x.scratch.part(0, x.input.length()) : x.data;
  if (sends) co_yield all(reduce_to_pieces(x, whole));
  const Subgroup group = x.group.joined(0, p, x.root);
  co_yield all(hand_over(group, Blocks::even(whole, p), Blocks::even(whole, 1), whole));
}

const Registered entry{
    {.collective = Collective::reduce,
     .name = "inter_pieces",
     .summary = "The senders do a reduce_scatter; then each sends its piece to the root.",
     .paper = "none: algorithms of one group",
     .groups = Groups::two,
     .parameters = {pieces_parameter()},
     .claims = [](const Choice& choice) { return pieces_claims(choice, 1); },
     .schedule = [](const Problem& x) { return inter_pieces(x); }}};

}  // namespace
}  // namespace roundelay
