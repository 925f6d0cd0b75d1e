// SPDX-License-Identifier: Apache-2.0
// What the algorithms around a ring of ranks have in common.
#pragma once

#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// allgather.ring: one block per rank, the own one filled in at the start.
Schedule ring_allgather(Group g, Blocks out);

}  // namespace roundelay
