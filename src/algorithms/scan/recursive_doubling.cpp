// SPDX-License-Identifier: Apache-2.0
// scan.recursive_doubling: partners at distance 1, 2, 4, .. exchange the partial results of their
// groups; what comes from below is a part of the own result, too.
//
// Hillis, Steele 1986, as in MPICH. ceil(log2 p) rounds of m units for every p: best for short
// messages. A rank whose partner would lie behind the last one sits the round out, and the higher
// of two partners sends only if the lower one sends on what it gets. Every partial result is of
// consecutive ranks: for any operation.
//
//   p = 6:   distance 1: 0 <-> 1   2 <-> 3   4 -> 5
//            distance 2: 0 <-> 2   1 <-> 3
//            distance 4: 0 -> 4    1 -> 5
#include <utility>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/prefix.hpp"

namespace roundelay {

bool prefix_is_sent_on(int v, int p, int d) {
  for (; d < p; d *= 2) {
    const int w = v ^ d;
    if (w >= p) continue;
    if ((v & d) == 0 || prefix_is_sent_on(w, p, 2 * d)) return true;
  }
  return false;
}

// As long as no rank of the own group lies behind this one, its partial result is its result, and
// both are in `data`.
Schedule recursive_doubling_prefix(Group g, Slice partial, Slice data, Slice scratch) {
  const Slice first = scratch.part(0, data.length());
  const Slice second = scratch.part(data.length(), data.length());
  const LocalStep nothing = copy(Slice(), Slice());
  const int v = g.rank;
  bool filled = partial == data;
  const auto is_input = [&partial] { return partial.space() == Space::input; };
  Slice theirs = filled ? first : second;
  for (int d = 1; d < g.size; d *= 2) {
    if ((v ^ d) >= g.size) continue;
    const int w = g[v ^ d];
    const bool sends_on = prefix_is_sent_on(v, g.size, 2 * d);
    if ((v & d) == 0) {
      if (!sends_on) {
        co_yield round(send(partial, w));
        continue;
      }
      co_yield round(send(partial, w), recv(theirs, w), combine(partial, theirs));
      const Slice free = partial == data ? second : (is_input() ? first : partial);
      partial = std::exchange(theirs, free);
      continue;
    }
    const Slice sent = prefix_is_sent_on(v ^ d, g.size, 2 * d) ? partial : Slice();
    const bool apart = partial != data && sends_on;
    if (filled) {
      co_yield round(send(sent, w), recv(theirs, w), combine(theirs, data),
                     apart ? combine(theirs, partial) : nothing);
    } else {
      const bool copies = apart && is_input();
      const Slice own = copies ? first : partial;
      co_yield round(send(sent, w), recv(data, w), copies ? copy(partial, own) : nothing,
                     apart ? combine(data, own) : nothing);
      partial = own;
      filled = true;
    }
  }
}

namespace {

Schedule scan(Group g, Slice input, Slice data, Slice scratch) {
  if (input != data) co_yield round(copy(input, data));
  if (g.size > 1) co_yield all(recursive_doubling_prefix(g, data, data, scratch));
}

const Registered entry{{
    .collective = Collective::scan,
    .name = "recursive_doubling",
    .summary = "Partners at distance 1, 2, 4, .. exchange partial results; a rank's result "
               "includes those of lower ranks only.",
    .paper = "Hillis, Steele 1986, Data Parallel Algorithms",
    .fixed_order = true,
    .common = true,
    .claims = prefix_claims,
    .schedule = [](const Problem& x) { return scan(x.group, x.input, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
