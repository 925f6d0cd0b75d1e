// SPDX-License-Identifier: Apache-2.0
// allgather.linear, also as the end of what leaves every rank with a block.
#pragma once

#include "algorithms/catalogue.hpp"

namespace roundelay {

// `own`: the block of this rank, in its place in `out` or elsewhere.
Schedule linear_allgather(Group g, Slice own, Blocks out);

}  // namespace roundelay
