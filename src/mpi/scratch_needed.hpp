// SPDX-License-Identifier: Apache-2.0
// How much scratch memory a call's schedule takes, asked of the schedule once for calls that are
// alike.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "mpi/tape.hpp"

namespace roundelay::mpi {

// Of the calls of one plan on one rank. Remembers the last call, because calls of a kind are mostly
// alike.
class ScratchNeeded {
 public:
  // Units. `shape` is of the same call as the problem, whose scratch space has no end yet.
  [[nodiscard]] Units of(const Problem& problem, const Shape& shape) {
    if (!is_of(problem, shape)) {
      known_ = false;
      units_ = scratch_used(problem.choice->schedule(problem));
      remember(problem, shape);
    }
    return units_;
  }

 private:
  // The cuts of a problem, which a shape says nothing of.
  static std::array<std::span<const Units>, 4> cuts_of(const Problem& problem) {
    return {problem.blocks.counts(), problem.blocks.displacements(), problem.given.counts(),
            problem.given.displacements()};
  }

  [[nodiscard]] bool is_of(const Problem& problem, const Shape& shape) const {
    if (!known_ || shape != shape_ || problem.senders != senders_) return false;
    auto cut = cuts_.begin();
    for (const std::span<const Units> its : cuts_of(problem)) {
      if (!std::ranges::equal(its, *cut++)) return false;
    }
    return true;
  }

  // What other ranks send is no part of the call: a schedule that asks for it is asked every time.
  void remember(const Problem& problem, const Shape& shape) {
    if (!problem.rows.empty() || !problem.passing.empty()) return;
    shape_ = shape;
    senders_ = problem.senders;
    auto cut = cuts_.begin();
    for (const std::span<const Units> its : cuts_of(problem)) {
      (cut++)->assign(its.begin(), its.end());
    }
    known_ = true;
  }

  Shape shape_;
  int senders_ = 0;
  std::array<std::vector<Units>, 4> cuts_;
  Units units_ = 0;
  bool known_ = false;
};

}  // namespace roundelay::mpi
