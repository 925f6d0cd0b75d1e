// SPDX-License-Identifier: Apache-2.0
// Rooted collectives between two groups as those of one: of the root and all ranks of the other
// group. The other ranks of the root's group do nothing: MPI tells them neither who the root is nor
// how long the message is.
#pragma once

#include <string_view>

#include "algorithms/catalogue.hpp"

namespace roundelay {

enum class Root : std::uint8_t { sends, receives };

// The problem's first nested choice among the other group and then the root, who has no block.
Schedule joined(Problem x, Root root);

// What that costs.
[[nodiscard]] Claims joined_claims(const Choice& choice, Root root);

// An algorithm that is nothing but this.
[[nodiscard]] Algorithm joined_algorithm(Collective collective, Root root,
                                         std::string_view standard);

}  // namespace roundelay
