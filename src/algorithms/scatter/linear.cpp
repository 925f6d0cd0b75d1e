// SPDX-License-Identifier: Apache-2.0
// scatter.linear: the root sends every rank its block.
//
// MPICH and Open MPI, for long blocks. p - 1 messages and m (p - 1) / p units at the root. No rank
// but the root needs to know more than its own block, so it does for blocks of any lengths
// (scatterv). The root has at most `throttle` sends in flight.
//
//   p = 5, root 0, throttle 2:   sends to 1 and 2
//                                that to 1 is complete: sends to 3
//                                that to 2 is complete: sends to 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/window.hpp"

namespace roundelay {
namespace {

Schedule linear(Group g, int root, Slice data, Blocks blocks, Window window) {
  if (g.rank != root) {
    co_yield round(recv(data, g[root]));
    co_return;
  }
  for (int i = 1; i < g.size; ++i) {
    if (window.full(i)) co_yield fence(window.due(i));
    co_yield round(deferred(send(blocks[root + i], g[root + i]), window.due(i)));
  }
}

const Registered entry{
    {
        .collective = Collective::scatter,
        .name = "linear",
        .summary = "The root sends every rank its block.",
        .paper = "MPICH and Open MPI, for long blocks",
        .parameters = throttle(),
        .common = true,
        .claims = linear_claims,
        .schedule =
            [](const Problem& x) { return linear(x.group, x.root, x.data, x.blocks, Window(x)); },
    },
    {Collective::scatterv}};

}  // namespace
}  // namespace roundelay
