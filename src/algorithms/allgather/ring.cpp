// SPDX-License-Identifier: Apache-2.0
// allgather.ring: every block travels once around the ring of ranks.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.1. p - 1 rounds, m (p - 1) / p units each way: no
// rank ever sends a unit twice. Best for long messages; the latency grows with p.
//
// With `group` k > 1 the k-ring (Wilkins et al. 2023, Generalized Collective Algorithms for the
// Exascale Era): blocks travel around rings of k consecutive ranks, and in every k-th round all
// ranks of a group hand the block that they had first from the group before on to the next one. As
// many rounds and units, but a group's border is crossed in only one of k rounds, by k blocks at
// once. Where k does not divide p, its greatest divisor below k is taken.
//
//   p = 5, rank 2:            round 0: sends block 2, receives 1
//                             round 1: sends block 1, receives 0
//                             round 2: sends block 0, receives 4
//                             round 3: sends block 4, receives 3
//   p = 6, group 3, rank 2:   rounds 0 and 1: sends 2 and 1 to 0, receives 1 and 0 from 1
//                             round 2:        sends 2 to 5, receives 5 from 5
//                             rounds 3 and 4: sends 5 and 4 to 0, receives 4 and 3 from 1
#include "algorithms/parts/ring.hpp"

namespace roundelay {

Schedule ring_allgather(Group g, Blocks out, int k) {
  while (g.size % k != 0) --k;
  const int own = g.rank / k * k;  // the first rank of this group
  const int j = g.rank - own;
  const int left = own + (j + k - 1) % k;
  const int right = own + (j + 1) % k;
  for (int from = 0; from < g.size; from += k) {
    // Blocks of the group that is `from` ranks before this one.
    const int first = own - from;
    if (from > 0) {
      co_yield round(send(out[first + k + j], g[g.rank + k]), recv(out[first + j], g[g.rank - k]));
    }
    for (int step = 0; step + 1 < k; ++step) {
      co_yield round(send(out[first + (j - step + k) % k], g[right]),
                     recv(out[first + (j - step - 1 + k) % k], g[left]));
    }
  }
}

namespace {

const Registered entry{
    {
        .collective = Collective::allgather,
        .name = "ring",
        .summary = "Every block travels once around the ring of ranks.",
        .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.1; Wilkins et al. 2023",
        .parameters = {group_parameter()},
        .common = true,
        .claims = [](const Choice& /*choice*/) -> Claims {
          const Formula volume = m() * (p() - 1) / p();
          return {.rounds = p() - 1, .volume = volume, .symmetric = true};
        },
        .schedule =
            [](const Problem& x) {
              return ring_allgather(x.group, x.blocks, static_cast<int>(x.choice->number(0)));
            },
    },
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
