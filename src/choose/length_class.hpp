// SPDX-License-Identifier: Apache-2.0
// Lengths that are decided alike.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace roundelay::choose {

// Those from 2/3 to 4/3 of a power of two, which stands for all of them: what programs send is that
// long more often than not.
class LengthClass {
 public:
  static constexpr std::size_t count = 65;

  constexpr explicit LengthClass(std::int64_t bytes) noexcept
      : index_(index_of(static_cast<std::uint64_t>(bytes))) {}

  [[nodiscard]] constexpr std::size_t index() const noexcept { return index_; }
  [[nodiscard]] constexpr std::int64_t least() const noexcept {
    return index_ == 0 ? 0 : most(index_ - 1) + 1;
  }
  [[nodiscard]] constexpr std::int64_t most() const noexcept { return most(index_); }

 private:
  static constexpr std::size_t index_of(std::uint64_t bytes) noexcept {
    return static_cast<std::size_t>(std::bit_width(bytes + bytes / 2));
  }
  static constexpr std::int64_t most(std::size_t index) noexcept {
    if (index + 1 == count) return std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>((~std::uint64_t{0} >> (count - 2 - index)) / 3);
  }

  std::size_t index_;
};

}  // namespace roundelay::choose
