// SPDX-License-Identifier: Apache-2.0
// neighbor_alltoall.direct: every rank exchanges with all its neighbours at once.
//
// Hoefler, Traff 2009, Sparse Collective Operations for MPI. One round: a message along every edge
// of the graph but those of a rank to itself, which are copies. Nothing passes through other ranks.
//
//   p = 5, a ring, rank 2:   sends to 1 and 3, receives from 3 and 1
//
// Of several edges between two ranks the order tells which is which, as it does for messages.
// Blocks go even if they are empty: MPI libraries let a receiver make room for more than it is
// sent.
#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/parcels.hpp"
#include "algorithms/parts/whole_block.hpp"

namespace roundelay {
namespace {

Schedule direct(Group g, const Graph& graph, Sent sent, Blocks blocks) {
  const auto sources = graph.sources(g.rank);
  RoundList all;
  for (const Edge from : sources) {
    if (from.peer != g.rank) all.add(always(recv(blocks[from.block], g[from.peer])));
  }
  auto own = sources.begin();
  for (const Edge to : graph.destinations(g.rank)) {
    if (to.peer != g.rank) {
      all.add(always(send(sent.along(to.block), g[to.peer])));
      continue;
    }
    own = std::ranges::find(own, sources.end(), g.rank, &Edge::peer);
    all.add(copy_own_block(sent.along(to.block), blocks[own++->block]));
  }
  if (!all.empty()) co_yield all;
}

const Registered entry{
    {
        .collective = Collective::neighbor_alltoall,
        .name = "direct",
        .summary = "Every rank exchanges with all its neighbours at once.",
        .paper = "Hoefler, Traff 2009, Sparse Collective Operations for MPI",
        .common = true,
        .claims = [](const Choice& /*choice*/) -> Claims {
          return {.rounds = 1, .volume = degree() * m() / p(), .ports = degree(), .at_most = true};
        },
        .schedule = [](const Problem& x) { return direct(x.group, *x.graph, Sent(x), x.blocks); },
    },
    {Collective::neighbor_allgather, Collective::neighbor_allgatherv,
     Collective::neighbor_alltoallv, Collective::neighbor_alltoallw}};

}  // namespace
}  // namespace roundelay
