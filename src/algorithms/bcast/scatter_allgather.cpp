// SPDX-License-Identifier: Apache-2.0
// bcast.scatter_allgather: the root scatters the message down a binomial tree, then all ranks
// gather its p blocks.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.2 (van de Geijn's). ceil(log2 p) rounds and
// m (p - 1) / p units, and those of the allgather: about 2 m in all, for long messages. A rank
// keeps the blocks that it has passed on, and the allgather does not send them to it again (Zhou et
// al. 2016, arXiv 1603.06809, for the ring): nothing to the root, who still has most to send.
//
//   p = 5, root 0:   round 0: 0 -> 4 (block 4)
//                    round 1: 0 -> 2 (blocks 2 3)
//                    round 2: 0 -> 1 (block 1)   2 -> 3 (block 3)
//                    then ranks have blocks 0 1 2 3 4, 1, 2 3, 3, 4: allgather; by the ring
//                    round 3: 0 -> 1 (block 0)   1 -> 2 (1)   2 -> 3 (2)   3 -> 4 (3)
//                    ..
//                    round 6: 0 -> 1 (block 2)                2 -> 3 (4)   3 -> 4 (0)
#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/binomial.hpp"
#include "algorithms/parts/without_held.hpp"

namespace roundelay {
namespace {

// What rank v gets in the scatter: its block and those of the ranks below it.
Slice subtree(const Blocks& blocks, int v) {
  const int p = blocks.size();
  return blocks.range(v, std::min(v + binomial_span(v, p), p));
}

}  // namespace

Schedule binomial_scatter(Group t, Blocks blocks) {
  const int v = t.rank;
  const int p = t.size;
  const int span = binomial_span(v, p);
  if (v > 0) co_yield round(recv(subtree(blocks, v), t[v - span]));
  for (int d = span / 2; d > 0; d /= 2) {
    if (v + d < p) co_yield round(send(subtree(blocks, v + d), t[v + d]));
  }
}

namespace {

Schedule scatter_allgather(Problem x) {
  const Subgroup t = x.group.rooted(x.root);
  const Problem gathering{.group = t,
                          .blocks = Blocks::even(x.data, t.size),
                          .scratch = x.scratch,
                          .network = x.network,
                          .memo = x.memo,
                          .choice = &x.choice->nested(0)};
  co_yield all(binomial_scatter(t, gathering.blocks));
  const auto held = [blocks = gathering.blocks](int v) { return subtree(blocks, v); };
  co_yield all(without_held(gathering, held));
}

const Registered entry{{
    .collective = Collective::bcast,
    .name = "scatter_allgather",
    .summary =
        "The root scatters the message down a binomial tree; then all ranks gather its blocks.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.2",
    .parameters = {{.name = "allgather",
                    .summary = "how the blocks are gathered",
                    .kind = Parameter::Kind::algorithm,
                    .collective = Collective::allgather,
                    .standard = "ring"}},
    .common = true,
    .claims = [](const Choice& choice) -> Claims {
      const Claims allgather = choice.nested(0).claims();
      // What is not sent again is as much at all ranks only if they go one way, and alike.
      const bool exact = allgather.symmetric && allgather.ports.text() == "1";
      const Formula q = ceil_log2(p());
      const Formula scattered = m() * (p() - 1) / p();
      return {.scratch = allgather.scratch,
              .rounds = q + allgather.rounds,
              .volume = scattered + allgather.volume,
              .ports = allgather.ports,
              .at_most = !exact};
    },
    .schedule = [](const Problem& x) { return scatter_allgather(x); },
}};

}  // namespace
}  // namespace roundelay
