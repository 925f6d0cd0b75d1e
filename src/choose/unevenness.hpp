// SPDX-License-Identifier: Apache-2.0
// How much longer than the mean the longest block of a call is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace roundelay::choose {

// As a power of two.
class Unevenness {
 public:
  constexpr Unevenness() noexcept = default;
  // `all` and `longest`: units of all blocks together and of the longest of them.
  Unevenness(std::int64_t all, std::int64_t longest, int ranks) noexcept
      : power_(all == 0
                   ? 0
                   : std::ilogb(static_cast<double>(longest) * ranks / static_cast<double>(all))) {}

  // The longest block, in bytes, that stands for this class in a message of so many bytes; 0 for
  // blocks that count as even.
  [[nodiscard]] std::int64_t longest(std::int64_t bytes, int ranks) const noexcept {
    return std::min(longest_of_calls(bytes, ranks), bytes);
  }
  // The same where the longest block may be longer than the message: of another call, a longer one.
  [[nodiscard]] std::int64_t longest_of_calls(std::int64_t bytes, int ranks) const noexcept {
    const double times = std::ldexp(1.5, power_);
    return power_ == 0 ? 0 : static_cast<std::int64_t>(times * static_cast<double>(bytes) / ranks);
  }
  friend constexpr bool operator==(Unevenness, Unevenness) noexcept = default;

 private:
  int power_ = 0;
};

}  // namespace roundelay::choose
