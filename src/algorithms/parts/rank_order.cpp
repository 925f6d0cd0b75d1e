// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/rank_order.hpp"

#include "algorithms/parts/pipeline.hpp"

namespace roundelay {

// Two scratch pieces take turns, so that one may arrive while the one before is combined.
Schedule combine_in_rank_order(Group g, Slice own, Slice result, Slice scratch, Receiving receive) {
  const auto piece = [&](int i) { return scratch.part(i * own.length(), own.length()); };
  const int last = g.size - 1;
  Slice mine = own;
  if (g.rank != last && own == result) {
    mine = piece(2);
    co_yield round(copy(own, mine));
  }
  if (g.rank != last) {
    co_yield round(receive(result, g[last]));
  } else if (own != result) {
    co_yield round(copy(own, result));
  }
  for (int r = last - 1; r >= 0; --r) {
    const Slice theirs = piece(r % 2);
    if (r == g.rank) {
      co_yield round(combine(mine, result));
    } else {
      co_yield round(receive(theirs, g[r]), combine(theirs, result));
    }
  }
}

RoundList contributions(Group g, const Blocks& blocks, Fence due) {
  RoundList list;
  for (int i = 1; i < g.size; ++i) {
    list.add(deferred(send(blocks[g.rank + i], g[g.rank + i]), due));
  }
  return list;
}

RoundList exposed_to_all(Group g, Slice block, Fence due) {
  RoundList list;
  for (int i = 1; i < g.size; ++i) list.add(deferred(expose(block, g[g.rank + i]), due));
  return list;
}

int pieces_of_block(const Dimensions& of) {
  return best_blocks(of, of.m / of.p, of.p, of.network.startup);
}

}  // namespace roundelay
