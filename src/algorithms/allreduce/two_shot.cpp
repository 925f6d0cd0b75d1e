// SPDX-License-Identifier: Apache-2.0
// allreduce.two_shot: every rank combines one slice of all contributions in the order of the ranks,
// exposes the result, and takes the other slices.
//
// DeepSpeed (5391) inside a node. n (p + 1) rounds, 2 m (p - 1) / p units each way, the message in
// n chunks, so that what is taken has just been combined: for ranks that share memory. For any
// operation; one rank finishes each slice: the same bits everywhere.
//
//   p = 4, rank 1, n = 1:   round 0: sends slices 2, 3 and 0 to 2, 3 and 0
//                           rounds 1, 2, 3: receives slice 1 from 3, 2 and 0 and combines
//                           round 4: exposes slice 1; takes 0, 3 and 2
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/linear_allgather.hpp"
#include "algorithms/parts/pipeline.hpp"
#include "algorithms/parts/rank_order.hpp"

namespace roundelay {
namespace {

Schedule two_shot(Group g, Slice input, Blocks chunks, Slice scratch) {
  constexpr Fence taken = 1;
  for (int j = 0; j < chunks.size(); ++j) {
    const Blocks slices = Blocks::even(chunks[j], g.size);
    const Blocks contribution = slices.over(chunks.over(input)[j]);
    co_yield contributions(g, contribution, taken);
    co_yield all(combine_in_rank_order(g, contribution[g.rank], slices[g.rank], scratch, recv));
    co_yield fence(taken);
    co_yield all(linear_allgather(g, slices));
  }
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "two_shot",
    .summary = "Every rank combines one slice of all contributions in rank order, exposes the "
               "result, and takes the other slices.",
    .paper = "DeepSpeed, inside a node",
    .parameters = {blocks_parameter()},
    .fixed_order = true,
    .claims = [](const Choice& choice) -> Claims {
      const Formula n = blocks_formula(choice, pieces_of_block);
      const Formula slice = ceil(ceil(m() / n) / p());
      const Formula once = n * (p() - 1) * slice;
      return {.scratch = if_many(3 * slice),
              .rounds = if_many(n * (p() + 1)),
              .volume = 2 * once,
              .ports = max(1, p() - 1),
              .at_most = true};
    },
    .schedule =
        [](const Problem& x) {
          return two_shot(x.group, x.input, pipeline_blocks(x, pieces_of_block), x.scratch);
        },
}};

}  // namespace
}  // namespace roundelay
