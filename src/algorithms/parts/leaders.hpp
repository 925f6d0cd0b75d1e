// SPDX-License-Identifier: Apache-2.0
// What MPI libraries do where data is combined between two groups: all of it passes from one rank
// of the one to one of the other.
#pragma once

#include "algorithms/catalogue.hpp"

namespace roundelay {

// The senders reduce to the first of them, by the problem's first nested choice, and that one sends
// the result to the first receiver: what senders do.
Schedule reduce_to_leader(Problem x);

// What that costs.
[[nodiscard]] Claims leader_claims(const Choice& choice);

[[nodiscard]] Parameter leader_parameter();

}  // namespace roundelay
