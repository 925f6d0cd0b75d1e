// SPDX-License-Identifier: Apache-2.0
// bcast.binomial: who has the message passes it on, so that in every round twice as many have it.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.2. ceil(log2 p) rounds of m units: best for short
// messages. With a greater `radix` k, the k-nomial tree (Wilkins et al. 2023): fewer rounds of
// k - 1 messages at once.
//
//   p = 6, root 0:   round 0: 0 -> 4
//                    round 1: 0 -> 2   4 -> 5
//                    round 2: 0 -> 1   2 -> 3
//   radix 3:         round 0: 0 -> 3
//                    round 1: 0 -> 1 2   3 -> 4 5
#include "algorithms/parts/binomial.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {

Schedule binomial_bcast(Group g, int root, Slice data, int radix) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const int span = binomial_span(v, t.size, radix);
  if (v > 0) co_yield round(recv(data, t[binomial_parent(v, span, radix)]));
  RoundList list;
  for (int d = span / radix; d > 0; d /= radix) {
    list.clear();
    for (int j = 1; j < radix && v + j * d < t.size; ++j) list.add(send(data, t[v + j * d]));
    if (!list.empty()) co_yield list;
  }
}

namespace {

const Registered entry{{
    .collective = Collective::bcast,
    .name = "binomial",
    .summary =
        "Ranks that have the message send it on, so that twice as many have it after each round.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.2; Wilkins et al. 2023",
    .parameters = {radix_parameter()},
    .common = true,
    .claims = [](const Choice& choice) -> Claims {
      const int radix = radix_of(choice);
      return {.rounds = binomial_rounds(radix),
              .volume = binomial_messages(radix) * m(),
              .ports = radix - 1};
    },
    .schedule =
        [](const Problem& x) {
          return binomial_bcast(x.group, x.root, x.data, radix_of(*x.choice));
        },
}};

}  // namespace
}  // namespace roundelay
