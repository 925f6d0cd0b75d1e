// SPDX-License-Identifier: Apache-2.0
// Lengths of a message for which the claims of an algorithm hold exactly.
#pragma once

#include "algorithms/catalogue.hpp"

namespace roundelay::interpret {

// One of them, the next one that is no less than m, and whether m itself is.
[[nodiscard]] Units exact_length(const Choice& choice, int p);
[[nodiscard]] Units next_exact_length(const Choice& choice, int p, Units m);
[[nodiscard]] bool claims_are_exact(const Choice& choice, int p, Units m);

}  // namespace roundelay::interpret
