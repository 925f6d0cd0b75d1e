// SPDX-License-Identifier: Apache-2.0
// The lengths at which a parameter switches that is left to the algorithm.
#pragma once

#include <vector>

#include "interpret/case.hpp"

namespace roundelay::interpret {

// Whether there is such a parameter.
[[nodiscard]] bool cuts_as_it_likes(const Choice& choice);

// The last length before a switch and the first after it, of at least one switch wherever the
// number of rounds at a length differs from that at half the length. Found by asking the schedules.
[[nodiscard]] std::vector<Units> lengths_at_switches(const Choice& choice, const Case& shape);

}  // namespace roundelay::interpret
