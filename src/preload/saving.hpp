// SPDX-License-Identifier: Apache-2.0
// What a run has learned, as a profile for the next one.
#pragma once

#include <string>
#include <vector>

#include "preload/record.hpp"

namespace roundelay::preload {

// As docs/reference/profiles.md describes it, ended by a newline. What no rule can say is left out:
// calls whose ranks do not share the length of the message, and blocks of different lengths. Empty
// if nothing is left.
[[nodiscard]] std::string as_profile(std::vector<Learned> learned);

}  // namespace roundelay::preload
