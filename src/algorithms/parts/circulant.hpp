// SPDX-License-Identifier: Apache-2.0
// What the algorithms on circulant graphs have in common.
#pragma once

#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/skips.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// allgather.bruck with any skips: one block per rank, the own one filled in at the start.
Schedule circulant_allgather(Group g, Blocks out, Skips skip);

// reduce_scatter.circulant: leaves the result of block r in place on rank r; what `data` holds
// elsewhere then does not matter. Blocks follow each other; skips halve.
Schedule circulant_reduce_scatter(Group g, Blocks data, Slice scratch, Skips skip);

}  // namespace roundelay
