// SPDX-License-Identifier: Apache-2.0
// The cells of one rank: which are free, and how many readers have yet to take each of the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "shared/layout.hpp"

namespace roundelay::shared {

class Cells {
 public:
  static constexpr int none = -1;

  Cells() noexcept {
    for (std::size_t i = 0; i < free_.size(); ++i) free_[i] = static_cast<std::uint8_t>(i);
  }

  [[nodiscard]] std::size_t free() const noexcept { return free_count_; }
  // One that is free, for so many readers. There must be one.
  int take(std::size_t readers) noexcept {
    const int cell = free_[--free_count_];
    readers_[static_cast<std::size_t>(cell)] = readers;
    return cell;
  }
  // So many of its readers have taken it, or will not come.
  void let_go(int cell, std::size_t readers) noexcept {
    std::size_t& left = readers_[static_cast<std::size_t>(cell)];
    left -= readers;
    if (left == 0) free_[free_count_++] = static_cast<std::uint8_t>(cell);
  }

 private:
  std::array<std::uint8_t, Layout::cells> free_;
  std::size_t free_count_ = Layout::cells;
  std::array<std::size_t, Layout::cells> readers_{};  // who have not taken it
};

}  // namespace roundelay::shared
