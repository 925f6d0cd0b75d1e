// SPDX-License-Identifier: Apache-2.0
// What the ranks recorded, for the report.
#pragma once

#include "preload/summary.hpp"

namespace roundelay::preload {

// Of this process alone.
[[nodiscard]] Summary summary_of_this_rank();

// Collective over MPI_COMM_WORLD: of all its ranks, at rank 0; elsewhere of none.
[[nodiscard]] Summary gather_summaries();

}  // namespace roundelay::preload
