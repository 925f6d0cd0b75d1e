// SPDX-License-Identifier: Apache-2.0
// allreduce.circulant_pipelined: n blocks are reduced to rank 0 and broadcast from there, each the
// best that can be done alone.
//
// Traff 2024, Optimal broadcast schedules in logarithmic time, section 4. 2 (n - 1 + ceil(log2 p))
// rounds of m / n units. allreduce.circulant needs fewer of both; this one moves its data in long
// pieces that are contiguous. One rank finishes every block: the same bits everywhere, for
// commutative operations.
//
//   p = 5, n = 3:   the rounds of reduce.circulant, then those of bcast.circulant from rank 0
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pipeline.hpp"

namespace roundelay {
namespace {

Schedule circulant_pipelined(Group g, Slice input, Blocks blocks, Slice scratch, Memo* memo) {
  co_yield all(circulant_reduce(g, 0, input, blocks, scratch, memo));
  co_yield all(circulant_bcast(g, 0, blocks, memo));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "circulant_pipelined",
    .summary = "Blocks are reduced to rank 0 through a circulant graph and broadcast from there.",
    .paper = "Traff 2024, Optimal broadcast schedules in logarithmic time, section 4",
    .restrictions = {Restriction::commutative},
    .parameters = {blocks_parameter()},
    .claims = [](const Choice& choice) -> Claims {
      const Formula n = blocks_formula(choice, whole_message);
      const Formula rounds = if_many(2 * (n - 1 + ceil_log2(p())));
      const Formula moved = rounds * m() / n;
      return {.scratch = if_many(2 * ceil(m() / n)),
              .rounds = rounds,
              .volume = moved,
              .at_most = true};
    },
    .schedule =
        [](const Problem& x) {
          return circulant_pipelined(x.group, x.input, pipeline_blocks(x), x.scratch, x.memo);
        },
}};

}  // namespace
}  // namespace roundelay
