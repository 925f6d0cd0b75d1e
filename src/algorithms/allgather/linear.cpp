// SPDX-License-Identifier: Apache-2.0
// allgather.linear: every rank exposes its block, and all others take it.
//
// DeepSpeed (5391) and gloo (455) inside a node. One round; p - 1 messages and m (p - 1) / p units
// each way where ranks do not share memory. Where they do, each block goes into it once and is read
// there: for ranks of a node. Ranks begin with different ones, so that they do not all read the
// same.
//
//   p = 5, rank 2:   round 0: exposes block 2; takes 1, 0, 4 and 3
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/linear_allgather.hpp"

namespace roundelay {

Schedule linear_allgather(Group g, Blocks out) {
  RoundList list;
  for (int i = 1; i < g.size; ++i) {
    list.add(expose(out[g.rank], g[g.rank + i])).add(take(out[g.rank - i], g[g.rank - i]));
  }
  co_yield list;
}

namespace {

const Registered entry{
    {
        .collective = Collective::allgather,
        .name = "linear",
        .summary = "Every rank exposes its block, and all others take it.",
        .paper = "DeepSpeed and gloo, inside a node",
        .claims = [](const Choice& /*choice*/) -> Claims {
          const Formula volume = m() * (p() - 1) / p();
          return {.rounds = min(1, p() - 1),
                  .volume = volume,
                  .ports = max(1, p() - 1),
                  .symmetric = true};
        },
        .schedule = [](const Problem& x) { return linear_allgather(x.group, x.blocks); },
    },
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
