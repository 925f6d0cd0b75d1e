// SPDX-License-Identifier: Apache-2.0
// What the algorithms around a ring of ranks have in common.
#pragma once

#include "algorithms/catalogue.hpp"
#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// allgather.ring: one block per rank, the own one filled in at the start. Of k > 1, with rings of k
// ranks.
Schedule ring_allgather(Group g, Blocks out, int k = 1);

// The first half of allreduce.ring: of all ranks' `input` the result of block r in its place in
// `data`, on rank r; what the other blocks of `data` hold then does not matter. Commutative. Where
// the two are the same, two blocks of `scratch` are used. Block 0 is no shorter than any.
Schedule ring_reduce_scatter(Group g, Blocks input, Blocks data, Slice scratch);

// How often a block passes from site to site on one turn; 0 where there are none, or ranks of one
// do not follow each other. All m units pass each time, but nobody waits for them but once.
[[nodiscard]] inline Formula crossings_of_a_turn() {
  return Formula::of("sites", [](const Dimensions& of) -> double {
    if (of.topology == nullptr) return 0;
    const Partition& sites = of.topology->sites;
    return sites.count() > 1 && sites.consecutive() ? sites.count() : 0;
  });
}

}  // namespace roundelay
