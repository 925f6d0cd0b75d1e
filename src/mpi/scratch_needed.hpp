// SPDX-License-Identifier: Apache-2.0
// How much scratch memory a call's schedule takes, asked of the schedule once for calls that are
// alike.
#pragma once

#include "algorithms/catalogue.hpp"
#include "mpi/cuts.hpp"
#include "mpi/short_recording.hpp"

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
  [[nodiscard]] bool is_of(const Problem& problem, const Shape& shape) const {
    return known_ && shape == shape_ && problem.senders == senders_ && cuts_.are_of(problem);
  }

  // What other ranks send is no part of the call: a schedule that asks for it is asked every time.
  void remember(const Problem& problem, const Shape& shape) {
    if (!problem.rows.empty() || !problem.passing.empty()) return;
    shape_ = shape;
    senders_ = problem.senders;
    cuts_.keep(problem);
    known_ = true;
  }

  Shape shape_;
  int senders_ = 0;
  Cuts cuts_;
  Units units_ = 0;
  bool known_ = false;
};

}  // namespace roundelay::mpi
