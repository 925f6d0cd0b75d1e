// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/chain.hpp"

#include "algorithms/parts/pipeline.hpp"

namespace roundelay {

Schedule chain(Subgroup t, Blocks held, Blocks arriving, OnTheWay what) {
  const int n = held.size();
  const int v = t.rank;
  const bool is_last = v + 1 == t.size;
  const bool combines = what == OnTheWay::combine || (what != OnTheWay::nothing && !is_last);
  for (int k = 0; k <= n; ++k) {
    const bool sends = !is_last && k > 0;
    const bool receives = v > 0 && k < n;
    const Slice given = sends ? held[k - 1] : Slice();
    const Slice taken = receives ? arriving[k] : Slice();
    const LocalStep step = receives && combines ? combine(taken, held[k]) : copy(Slice(), Slice());
    co_yield round(send(given, t[v + 1]), recv(taken, t[v - 1]), step);
  }
}

int through_chain(const Dimensions& of) { return best_blocks(of, of.m, of.p - 1, of.network.gap); }

Claims chain_claims(const Choice& choice) {
  const Formula n = blocks_formula(choice, through_chain);
  return {.rounds = if_many(min(p(), 3) + n - 2), .volume = if_many(m())};
}

}  // namespace roundelay
