// SPDX-License-Identifier: Apache-2.0
// What the algorithms around a ring of ranks have in common.
#pragma once

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

}  // namespace roundelay
