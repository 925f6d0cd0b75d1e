// SPDX-License-Identifier: Apache-2.0
// What the algorithms on circulant graphs have in common.
#pragma once

#include "algorithms/formula.hpp"
#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/skips.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// Where ranks p / 2 apart exchange half the message, MPI libraries take its two directions one
// after the other over TCP. Skips without p / 2 avoid that. They take one more round where p is a
// power of two: then only messages of which half takes longer than a start-up use them.
[[nodiscard]] Skips best_skips(const Dimensions& dimensions) noexcept;
[[nodiscard]] Formula rounds_of_best_skips();

// allgather.bruck with any skips: one block per rank, the own one filled in at the start.
Schedule circulant_allgather(Group g, Blocks out, Skips skip);

// reduce_scatter.circulant: leaves the result of block r in place on rank r; what `data` holds
// elsewhere then does not matter. Blocks follow each other.
Schedule circulant_reduce_scatter(Group g, Blocks data, Slice scratch, Skips skip);

}  // namespace roundelay
