// SPDX-License-Identifier: Apache-2.0
// gather.linear: every rank sends its block to the root.
//
// MPICH and Open MPI, for long blocks. p - 1 messages and m (p - 1) / p units at the root. No rank
// but the root needs to know more than its own block, so it does for blocks of any lengths
// (gatherv). The root has at most `throttle` receives in flight.
//
//   p = 5, root 0, throttle 2:   receives from 1 and 2
//                                that from 1 is complete: receives from 3
//                                that from 2 is complete: receives from 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/window.hpp"

namespace roundelay {
namespace {

Schedule linear(Group g, int root, Slice input, Blocks blocks, Window window) {
  if (g.rank != root) {
    co_yield round(send(input, g[root]));
    co_return;
  }
  for (int i = 1; i < g.size; ++i) {
    if (window.full(i)) co_yield fence(window.due(i));
    co_yield round(deferred(recv(blocks[root + i], g[root + i]), window.due(i)));
  }
}

const Registered entry{
    {
        .collective = Collective::gather,
        .name = "linear",
        .summary = "Every rank sends its block to the root.",
        .paper = "MPICH and Open MPI, for long blocks",
        .parameters = throttle(),
        .common = true,
        .claims = linear_claims,
        .schedule =
            [](const Problem& x) { return linear(x.group, x.root, x.input, x.blocks, Window(x)); },
    },
    {Collective::gatherv}};

}  // namespace
}  // namespace roundelay
