// SPDX-License-Identifier: Apache-2.0
// Algorithms that combine data in an order that depends on nothing but the number of ranks.
#pragma once

#include "algorithms/catalogue.hpp"
#include "choose/spelling.hpp"

namespace roundelay::choose {

// What is used where the order has to be fixed (see Algorithm::fixed_order).
[[nodiscard]] const Algorithm& deterministic_algorithm(Collective collective);
// Throws SpellingError if an algorithm is forced that does not keep a fixed order.
void require_deterministic(const Choices& forced);

}  // namespace roundelay::choose
