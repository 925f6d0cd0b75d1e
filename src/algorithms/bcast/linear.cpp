// SPDX-License-Identifier: Apache-2.0
// bcast.linear: the root exposes the message and all others take it.
//
// Katevenis, Ploumidis, Marazakis 2022, A framework for hierarchical single-copy MPI collectives on
// multicore nodes (XHC, in Open MPI), in its flat form. One round; p - 1 messages of m units at the
// root where ranks do not share memory. Where they do, m units go into it once and every rank reads
// them there: for ranks of a node.
//
//   p = 5, root 0:   round 0: 0 exposes the message; 1, 2, 3 and 4 take it
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/rank_order.hpp"

namespace roundelay {
namespace {

Schedule linear(Group g, int root, Slice data) {
  if (g.rank == root) {
    co_yield exposed_to_all(g, data, this_round);
  } else {
    co_yield round(take(data, g[root]));
  }
}

const Registered entry{{
    .collective = Collective::bcast,
    .name = "linear",
    .summary = "The root exposes the message, and all others take it.",
    .paper = "Katevenis, Ploumidis, Marazakis 2022, XHC (Open MPI), its flat form",
    .claims = [](const Choice& /*choice*/) -> Claims {
      return {.rounds = min(1, p() - 1), .volume = (p() - 1) * m(), .ports = max(1, p() - 1)};
    },
    .schedule = [](const Problem& x) { return linear(x.group, x.root, x.data); },
}};

}  // namespace
}  // namespace roundelay
