// SPDX-License-Identifier: Apache-2.0
// A number that no other process has.
#pragma once

#include <cstdint>
#include <random>

namespace roundelay::shared {

inline std::uint64_t new_nonce() {
  std::random_device random;
  return std::uint64_t{random()} << 32U | random();
}

}  // namespace roundelay::shared
