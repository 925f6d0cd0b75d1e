// SPDX-License-Identifier: Apache-2.0
// barrier.dissemination: in every round each rank hears of twice as many ranks before it.
//
// Hensgen, Finkel, Manber 1988; Thakur, Rabenseifner, Gropp 2005, section 4.1.2. ceil(log2 p)
// rounds of one empty message each way.
//
//   p = 5, rank 2:   round 0: tells 3, hears from 1
//                    round 1: tells 4, hears from 0
//                    round 2: tells 1, hears from 3
#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule dissemination(Group g) {
  for (int d = 1; d < g.size; d *= 2) {
    co_yield round(send_token(g[g.rank + d]), recv_token(g[g.rank - d]));
  }
}

const Registered entry{{
    .collective = Collective::barrier,
    .name = "dissemination",
    .summary = "In each round every rank signals the rank 1, 2, 4, .. places ahead.",
    .paper = "Hensgen, Finkel, Manber 1988; Thakur, Rabenseifner, Gropp 2005, section 4.1.2",
    .common = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula q = ceil_log2(p());
      return {.rounds = q, .volume = 0, .symmetric = true};
    },
    .schedule = [](const Problem& x) { return dissemination(x.group); },
}};

}  // namespace
}  // namespace roundelay
