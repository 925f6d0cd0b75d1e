// SPDX-License-Identifier: Apache-2.0
// bcast.chain: blocks follow each other from rank to rank.
//
// As in Open MPI, which calls it pipeline. p + n - 2 rounds of m / n units one after the other;
// every rank receives and sends the message once. bcast.circulant takes fewer rounds, but its ranks
// have to keep in step; these need not: for long messages and few ranks.
//
//   p = 5, n = 3, root 0:   round 0: 0 -> 1 (0)
//                           round 1: 0 -> 1 (1)   1 -> 2 (0)
//                           round 2: 0 -> 1 (2)   1 -> 2 (1)   2 -> 3 (0)
//                           ..
//                           round 5: 3 -> 4 (2)
#include "algorithms/parts/chain.hpp"

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pipeline.hpp"

namespace roundelay {
namespace {

const Registered entry{{
    .collective = Collective::bcast,
    .name = "chain",
    .summary = "The message is cut into blocks, which follow each other from rank to rank.",
    .paper = "Open MPI",
    .parameters = {blocks_parameter()},
    .claims = chain_claims,
    .schedule =
        [](const Problem& x) {
          const Blocks blocks = pipeline_blocks(x, through_chain);
          return chain(x.group.rooted(x.root), blocks, blocks, OnTheWay::nothing);
        },
}};

}  // namespace
}  // namespace roundelay
