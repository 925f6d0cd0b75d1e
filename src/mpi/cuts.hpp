// SPDX-License-Identifier: Apache-2.0
// How the blocks of a call are cut by counts and displacements, which its shape
// (short_recording.hpp) does not say.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay::mpi {

class Cuts {
 public:
  // Those of the problem, copied: they may change where they lie. Throws std::bad_alloc.
  void keep(const Problem& problem) {
    auto kept = kept_.begin();
    for (const std::span<const Units> its : of(problem)) (kept++)->assign(its.begin(), its.end());
  }
  [[nodiscard]] bool are_of(const Problem& problem) const {
    return std::ranges::equal(of(problem), kept_, [](std::span<const Units> its, const auto& kept) {
      return std::ranges::equal(its, kept);
    });
  }

 private:
  // Empty where blocks are even.
  static std::array<std::span<const Units>, 4> of(const Problem& problem) {
    return {problem.blocks.counts(), problem.blocks.displacements(), problem.given.counts(),
            problem.given.displacements()};
  }

  std::array<std::vector<Units>, 4> kept_;
};

}  // namespace roundelay::mpi
