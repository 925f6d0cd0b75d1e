// SPDX-License-Identifier: Apache-2.0
// What the author of an algorithm may have got wrong in its catalogue entry.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// A sentence for each: names that cannot be spelled or that two have, no schedule or no claims,
// parameters with a default that is none. `algorithms` are sorted as in the catalogue. Not asked
// where a program calls MPI: the commands ask, and a test.
[[nodiscard]] std::vector<std::string> mistakes_in(std::span<const Algorithm* const> algorithms);

}  // namespace roundelay
