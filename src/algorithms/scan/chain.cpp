// SPDX-License-Identifier: Apache-2.0
// scan.chain: blocks pass from rank to rank, and every rank adds its own to what comes from below.
//
// Sanders, Traff 2006, Parallel Prefix (Scan) Algorithms for MPI. p + n - 2 rounds of m / n units
// one after the other: every rank receives and sends the message once, so that long ones take
// little longer than on one link. Every partial result is of consecutive ranks: for any operation.
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

Schedule scan(Group g, Slice input, Blocks data, Slice scratch) {
  if (input != data.whole()) co_yield round(copy(input, data.whole()));
  if (g.size == 1) co_return;
  const Blocks arriving = data.over(scratch.part(0, input.length()));
  co_yield all(chain(g.rooted(0), data, arriving, OnTheWay::combine));
}

const Registered entry{{
    .collective = Collective::scan,
    .name = "chain",
    .summary =
        "Blocks travel from rank to rank, and every rank combines its own contribution with them.",
    .paper = "Sanders, Traff 2006, Parallel Prefix (Scan) Algorithms for MPI",
    .parameters = {blocks_parameter()},
    .fixed_order = true,
    .claims = [](const Choice& choice) -> Claims {
      Claims claims = chain_claims(choice);
      claims.scratch = if_many(m());
      return claims;
    },
    .schedule =
        [](const Problem& x) {
          return scan(x.group, x.input, pipeline_blocks(x, through_chain), x.scratch);
        },
}};

}  // namespace
}  // namespace roundelay
