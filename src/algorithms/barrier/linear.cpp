// SPDX-License-Identifier: Apache-2.0
// barrier.linear: every rank tells all others that it is there.
//
// One round of p - 1 empty messages each way: for few ranks that share memory, where nobody waits
// for a message that waits for another one.
//
//   p = 5, rank 2:   round 0: tells 3, 4, 0 and 1; hears from 1, 0, 4 and 3
#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule linear(Group g) {
  RoundList list;
  for (int i = 1; i < g.size; ++i) {
    list.add(send_token(g[g.rank + i])).add(recv_token(g[g.rank - i]));
  }
  co_yield list;
}

const Registered entry{{
    .collective = Collective::barrier,
    .name = "linear",
    .summary = "Every rank signals all others.",
    .paper = "MPICH release_gather, its flat form",
    .claims = [](const Choice& /*choice*/) -> Claims {
      return {.rounds = min(1, p() - 1), .volume = 0, .ports = max(1, p() - 1)};
    },
    .schedule = [](const Problem& x) { return linear(x.group); },
}};

}  // namespace
}  // namespace roundelay
