// SPDX-License-Identifier: Apache-2.0
// exscan.chain: scan.chain whose ranks keep what comes from below and add to a copy of their own.
//
// Sanders, Traff 2006, Parallel Prefix (Scan) Algorithms for MPI. p + n - 2 rounds of m / n units
// one after the other: for long messages. Every partial result is of consecutive ranks: for any
// operation.
//
//   p = 5, n = 3:   round 0: 0 -> 1 (0)
//                   round 1: 0 -> 1 (1)   1 -> 2 (0)
//                   round 2: 0 -> 1 (2)   1 -> 2 (1)   2 -> 3 (0)
//                   ..
//                   round 5: 3 -> 4 (2)
#include "algorithms/parts/chain.hpp"

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pipeline.hpp"

namespace roundelay {
namespace {

Schedule exscan(Group g, Slice input, Blocks data, Slice scratch) {
  if (g.size == 1) co_return;
  // What the first rank hands on is its own contribution; the last one hands nothing on.
  const bool is_first = g.rank == 0;
  const Blocks own = data.over(is_first ? input : scratch.part(0, input.length()));
  if (!is_first && g.rank + 1 < g.size) co_yield round(copy(input, own.whole()));
  co_yield all(chain(g.rooted(0), own, data, OnTheWay::combine_to_hand_on));
}

const Registered entry{{
    .collective = Collective::exscan,
    .name = "chain",
    .summary = "Like scan.chain, but a rank's result does not include its own contribution.",
    .paper = "Sanders, Traff 2006, Parallel Prefix (Scan) Algorithms for MPI",
    .parameters = {blocks_parameter()},
    .fixed_order = true,
    .claims = [](const Choice& choice) -> Claims {
      Claims claims = chain_claims(choice);
      claims.scratch = if_many(m() * (min(p(), 3) - 2));
      return claims;
    },
    .schedule =
        [](const Problem& x) {
          return exscan(x.group, x.input, pipeline_blocks(x, through_chain), x.scratch);
        },
}};

}  // namespace
}  // namespace roundelay
