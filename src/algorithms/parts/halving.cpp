// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/halving.hpp"

namespace roundelay {

Schedule fold_halves(Group g, PartialResult& x, bool stays) {
  const bool odd = g.rank % 2 == 1;
  const int other = odd ? g.left() : g.right();
  const Blocks halves = Blocks::even(x.mine(), 2);
  const BlockRange kept = BlockRange{0, 2}.half(odd);
  const BlockRange left = BlockRange{0, 2}.half(!odd);
  const Slice given = x.mine(halves, left);
  const Slice got = x.theirs(halves, kept);
  const auto [first, second] = x.absorb(halves, kept, odd);
  co_yield round(send(given, other), recv(got, other), first, second);
  if (stays) {
    co_yield round(recv(x.mine(halves, left), other));
  } else {
    co_yield round(send(x.mine(halves, kept), other));
  }
}

Schedule halve(Group t, Blocks cut, PartialResult& x) {
  const int v = t.rank;
  BlockRange range{0, cut.size()};
  for (int d = 1; d < t.size; d *= 2) {
    const bool higher = (v & d) != 0;
    const Slice given = x.mine(cut, range.half(!higher));
    range = range.half(higher);
    const Slice got = x.theirs(cut, range);
    const auto [first, second] = x.absorb(cut, range, higher);
    co_yield round(send(given, t[v ^ d]), recv(got, t[v ^ d]), first, second);
  }
}

Schedule gather_halves(Group t, Blocks result, int root) {
  const int v = t.rank;
  BlockRange range = halved(v, t.size, result.size());
  for (int d = t.size / 2; d > 0; d /= 2) {
    const bool higher = (v & d) != 0;
    const BlockRange whole = range.doubled(higher);
    const bool gives = root == all_ranks || ((v ^ root) & d) != 0;
    const bool takes = root == all_ranks || !gives;
    co_yield round(send(gives ? range.of(result) : Slice(), t[v ^ d]),
                   recv(takes ? whole.half(!higher).of(result) : Slice(), t[v ^ d]));
    if (!takes) co_return;
    range = whole;
  }
}

FoldedBlocks::FoldedBlocks(Blocks blocks, int pairs, Order order) : blocks_(blocks) {
  if (pairs == 0 && order == Order::ranks) return;
  const int p = blocks.size() - pairs;
  for (int segment = 0; segment < p; ++segment) {
    const int v = order == Order::ranks ? segment : bit_reversed(segment, p);
    counts_.push_back(blocks.range(first_block(v, pairs), first_block(v + 1, pairs)).length());
  }
  displacements_ = displacements_of(counts_);
}

}  // namespace roundelay
