// SPDX-License-Identifier: Apache-2.0
// Dice: numbers that are the same for one seed on every rank, compiler and machine (splitmix64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace test {

class Dice {
 public:
  Dice(std::initializer_list<std::uint64_t> seeds) {
    for (const std::uint64_t seed : seeds) state_ = seed ^ next();
  }

  // One of 0, .., n - 1.
  [[nodiscard]] int below(int n) {
    return static_cast<int>(next() % static_cast<std::uint64_t>(n));
  }
  [[nodiscard]] bool one_in(int n) { return below(n) == 0; }
  // Up to about 2 ** bits, every power of two as likely as the others.
  [[nodiscard]] std::int64_t spread(int bits) {
    const std::int64_t least = std::int64_t{1} << below(bits);
    return least + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(least));
  }
  template <typename Item>
  [[nodiscard]] const Item& among(const std::vector<Item>& items) {
    return items[static_cast<std::size_t>(below(static_cast<int>(items.size())))];
  }

 private:
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_ = 0;
};

}  // namespace test
