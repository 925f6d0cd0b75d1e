// SPDX-License-Identifier: Apache-2.0
// Ranks in a grid, row by row, and what goes along its dimensions, one after the other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace roundelay {

// Two ranks, of which the first sends to the second.
struct Ends {
  int from = 0;
  int to = 0;
};

class Grid {
 public:
  // The grid in which each rank has the fewest partners, if every message travels along the first
  // dimension, then along the second, and so on. Of several such grids one with the fewest
  // dimensions, of which there are at most four. For a stencil this is mostly the program's own
  // grid.
  Grid(int ranks, std::span<const Ends> edges);

  [[nodiscard]] int dimensions() const noexcept { return static_cast<int>(strides_.size()) - 1; }
  // In how many directions something goes in a dimension: a rank sends to no more others there, and
  // is sent to by no more.
  [[nodiscard]] int directions(int dimension) const noexcept { return at(directions_, dimension); }
  [[nodiscard]] int directions() const noexcept;
  // Ranks that follow each other and differ in nothing but dimensions from this one on.
  [[nodiscard]] int stride(int dimension) const noexcept { return at(strides_, dimension); }
  // Where what goes from a rank to another is after so many dimensions.
  [[nodiscard]] int place(int dimensions, Ends ends) const noexcept {
    const int stride = at(strides_, dimensions);
    return ends.to - ends.to % stride + ends.from % stride;
  }

  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  static int at(const std::vector<int>& of, int index) noexcept {
    return of[static_cast<std::size_t>(index)];
  }

  std::vector<int> strides_;  // from all ranks down to one
  std::vector<int> directions_;
};

}  // namespace roundelay
