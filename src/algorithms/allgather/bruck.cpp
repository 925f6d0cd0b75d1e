// SPDX-License-Identifier: Apache-2.0
// allgather.bruck: in every round each rank fetches as many blocks as it has from ahead of it.
//
// Bruck et al. 1997; Thakur, Rabenseifner, Gropp 2005, section 4.1. ceil(log2 p) rounds for every
// p, m (p - 1) / p units each way: the best of both, for short messages. The papers collect the
// blocks A[0], A[1], .. of the ranks r, r + 1, .. in this order and rotate them at the end; here
// each goes at once to its place in the output, as a cyclic run of at most two pieces.
//
//   p = 5, rank 2:   round 0: sends block  2      to 1, receives 3      from 3
//                    round 1: sends blocks 2 3    to 0, receives 4 0    from 4
//                    round 2: sends block  2      to 3, receives 1      from 1
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/circulant.hpp"

namespace roundelay {

Schedule circulant_allgather(Group g, Blocks out, Skips skip) {
  const int r = g.rank;
  SliceRoom sent;
  SliceRoom received;
  for (int k = 0; k < skip.rounds(); ++k) {
    const int s = skip[k];
    const int count = skip[k + 1] - s;
    sent.clear();
    received.clear();
    co_yield round(send(out.run(r, count, sent), g[r - s]),
                   recv(out.run(r + s, count, received), g[r + s]));
  }
}

namespace {

const Registered entry{{
                           .collective = Collective::allgather,
                           .name = "bruck",
                           .summary = "In each round a rank receives as many blocks as it has "
                                      "already, from the rank that many places ahead.",
                           .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.1.2",
                           .common = true,
                           .claims = [](const Choice& /*choice*/) -> Claims {
                             const Formula volume = m() * (p() - 1) / p();
                             return {.rounds = ceil_log2(p()), .volume = volume, .symmetric = true};
                           },
                           .schedule =
                               [](const Problem& x) {
                                 return circulant_allgather(x.group, x.blocks,
                                                            Skips::doubling(x.group.size));
                               },
                       },
                       {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
