// SPDX-License-Identifier: Apache-2.0
// With how many ranks one talks at once: two, but for the radix of those who can do more.
#pragma once

#include <string>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// The parameter `radix`, the first of its algorithms.
[[nodiscard]] inline Parameter radix_parameter() {
  return {.name = "radix",
          .summary = "k: a rank exchanges up to k - 1 messages in one round",
          .least = 2,
          .most = 64,
          .standard = "2",
          .tried = {3},
          .priced = true};
}
[[nodiscard]] inline int radix_of(const Choice& choice) {
  return static_cast<int>(choice.number(0));
}

// What a number is for a radix: a formula where it is 2.
[[nodiscard]] inline Formula of_radix(int radix, const Formula& of_two, const std::string& name,
                                      int (*function)(int p, int radix)) {
  if (radix == 2) return of_two;
  return Formula::of(name + "(p, " + std::to_string(radix) + ")",
                     [=](const Dimensions& of) -> double { return function(of.p, radix); });
}

}  // namespace roundelay
