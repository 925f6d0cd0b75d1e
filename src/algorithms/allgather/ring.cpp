// SPDX-License-Identifier: Apache-2.0
// allgather.ring: every block travels once around the ring of ranks.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.1. p - 1 rounds, m (p - 1) / p units each way: no
// rank ever sends a unit twice. Best for long messages; the latency grows with p.
//
//   p = 5, rank 2:   round 0: sends block 2, receives 1
//                    round 1: sends block 1, receives 0
//                    round 2: sends block 0, receives 4
//                    round 3: sends block 4, receives 3
#include "algorithms/parts/ring.hpp"

#include "algorithms/catalogue.hpp"

namespace roundelay {

Schedule ring_allgather(Group g, Blocks out) {
  for (int step = 0; step + 1 < g.size; ++step) {
    co_yield round(send(out[g.rank - step], g.right()), recv(out[g.rank - step - 1], g.left()));
  }
}

namespace {

const Registered entry{
    {
        .collective = Collective::allgather,
        .name = "ring",
        .summary = "Every block travels once around the ring of ranks.",
        .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.1",
        .common = true,
        .claims = [](const Choice& /*choice*/) -> Claims {
          const Formula volume = m() * (p() - 1) / p();
          return {.rounds = p() - 1, .volume = volume, .symmetric = true};
        },
        .schedule = [](const Problem& x) { return ring_allgather(x.group, x.blocks); },
    },
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
