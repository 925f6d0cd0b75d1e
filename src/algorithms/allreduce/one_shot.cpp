// SPDX-License-Identifier: Apache-2.0
// allreduce.one_shot: every rank exposes its contribution, takes all others and combines them in
// the order of the ranks.
//
// DeepSpeed (5391) and vLLM inside a node. p rounds, (p - 1) m units: for short messages of ranks
// that share memory. For any operation, with the same bits everywhere.
//
//   p = 4, rank 1:   round 0: exposes its own
//                    round 1: takes that of 3
//                    round 2: takes that of 2 and combines, then combines its own
//                    round 3: takes that of 0 and combines
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/rank_order.hpp"

namespace roundelay {
namespace {

Schedule one_shot(Group g, Slice input, Slice data, Slice scratch) {
  constexpr Fence taken = 1;
  const bool in_place = input == data;
  if (g.size == 1 && in_place) co_return;
  co_yield exposed_to_all(g, input, taken);
  const Slice result = in_place ? scratch.part(0, data.length()) : data;
  co_yield all(combine_in_rank_order(g, input, result, after(scratch, data.length()), take));
  co_yield fence(taken);
  if (in_place) co_yield round(copy(result, data));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "one_shot",
    .summary = "Every rank exposes its contribution, takes those of all others, and combines them "
               "in rank order.",
    .paper = "DeepSpeed and vLLM, inside a node",
    .fixed_order = true,
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula all = (p() - 1) * m();
      return {.scratch = if_many(3 * m()),
              .rounds = if_many(p()),
              .volume = all,
              .ports = max(1, p() - 1)};
    },
    .schedule = [](const Problem& x) { return one_shot(x.group, x.input, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
