// SPDX-License-Identifier: Apache-2.0
// Which non-blocking and persistent calls gain if they do not run natively.
#pragma once

#include <functional>
#include <vector>

#include "choose/candidates.hpp"

namespace roundelay::choose {

// Whether calls that do not wait surely gain if they run what was chosen for those that do. Nobody
// measures the time of their starts and ends, or how much of it a computation hides. They gain:
// - on one node where ranks share memory; but not with long blocks from each rank to each, which
//   MPI libraries copy once, too; and where the MPI library keeps cores that other ranks need, only
//   if the bytes take no longer than a start-up;
// - between nodes, if bytes take far longer than start-ups, and the model expects much less time
//   than of any algorithm that MPI libraries have, too, or than links take for an allgather that
//   sends each block to each rank;
// - between nodes among neighbours, if blocks are passed on to spare most messages.
// Between nodes they do not gain where the MPI library keeps cores that other ranks need. `priced`:
// gives the prices(), and is asked only if the answer depends on them.
[[nodiscard]] bool nonblocking_gains(const Facts& facts, const Choice& choice,
                                     const Machine& machine,
                                     const std::function<std::vector<Candidate>()>& priced);

}  // namespace roundelay::choose
