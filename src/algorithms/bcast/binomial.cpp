// SPDX-License-Identifier: Apache-2.0
// bcast.binomial: who has the message passes it on, so that in every round twice as many have it.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.2. ceil(log2 p) rounds of m units: best for short
// messages.
//
//   p = 6, root 0:   round 0: 0 -> 4
//                    round 1: 0 -> 2   4 -> 5
//                    round 2: 0 -> 1   2 -> 3
#include "algorithms/parts/binomial.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {

Schedule binomial_bcast(Group g, int root, Slice data) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const int span = binomial_span(v, t.size);
  if (v > 0) co_yield round(recv(data, t[v - span]));
  for (int d = span / 2; d > 0; d /= 2) {
    if (v + d < t.size) co_yield round(send(data, t[v + d]));
  }
}

namespace {

const Registered entry{{
    .collective = Collective::bcast,
    .name = "binomial",
    .summary = "Who has the message passes it on, so that in every round twice as many have it.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.2",
    .common = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula q = ceil_log2(p());
      return {.rounds = q, .volume = q * m()};
    },
    .schedule = [](const Problem& x) { return binomial_bcast(x.group, x.root, x.data); },
}};

}  // namespace
}  // namespace roundelay
