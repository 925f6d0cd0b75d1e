// SPDX-License-Identifier: Apache-2.0
// What MPI libraries do between two groups: all data passes from one rank of the one to one of the
// other.
#pragma once

#include <cstddef>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// The senders reduce to the first of them, by the problem's first nested choice, and that one sends
// the result to the first receiver: what senders do.
Schedule reduce_to_leader(Problem x);

// What that costs.
[[nodiscard]] Claims leader_claims(const Choice& choice);

[[nodiscard]] Parameter leader_parameter();

// The first receiver gets `data` from the first sender and broadcasts it by that nested choice of
// the problem's: what receivers do.
Schedule broadcast_by_leader(Problem x, Slice data, std::size_t nested);

}  // namespace roundelay
