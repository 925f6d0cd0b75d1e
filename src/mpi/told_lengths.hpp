// SPDX-License-Identifier: Apache-2.0
// The lengths of blocks, told before an algorithm that passes blocks on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/parts/passing.hpp"
#include "mpi/call.hpp"

namespace roundelay::mpi {

// What the ranks have for this one, and what it passes on: found by the schedule of the call, with
// the lengths in the place of the blocks. The units are bytes.
class ToldLengths {
 public:
  ToldLengths(const Problem& of, std::span<const Units> own)
      : problem_(of_lengths(of, sizeof(Units))),
        arriving_(static_cast<std::size_t>(problem_.blocks.size())) {
    const Units waiting = scratch_used(schedule());
    passing_.resize(static_cast<std::size_t>(waiting) / sizeof(Units));
    memory = memory_of_bytes(own, arriving_);
    memory.base[static_cast<std::size_t>(Space::scratch)] =
        reinterpret_cast<std::byte*>(passing_.data());
  }

  Memory memory;

  [[nodiscard]] Schedule schedule() const { return problem_.choice->schedule(problem_); }
  // Whether what arrives is no longer than the room for it.
  [[nodiscard]] bool fit(std::span<const Units> rooms) const {
    return std::ranges::equal(std::span(arriving_).first(rooms.size()), rooms, std::less_equal<>());
  }
  // From each rank, or along each edge.
  [[nodiscard]] std::span<const Units> arriving() const noexcept { return arriving_; }
  // See Problem.
  [[nodiscard]] std::span<const Units> passing() const noexcept { return passing_; }

 private:
  Problem problem_;
  std::vector<Units> arriving_;
  std::vector<Units> passing_;
};

}  // namespace roundelay::mpi
