// SPDX-License-Identifier: Apache-2.0
// One call of a collective as the interpreters see it: what every rank's Problem is.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// Makes the schedule of one rank; an interpreter does not know whether of a catalogue algorithm, a
// mutant of it or something written in a test.
using Schedules = std::function<Schedule(int rank)>;

struct Case {
  int p = 1;
  int root = 0;
  Units m = 0;  // the whole message, see Claims
  bool commutative = true;
  bool in_place = false;  // reduce: the root's contribution lies where the result shall be
  int ports = 1;          // sends, and as many receives, that a rank may have in flight at once
};

// Owns what the schedules of all ranks refer to: must outlive them.
class Call {
 public:
  // Throws std::invalid_argument if p, root or m are out of range, a restriction does not hold, or
  // there is no schedule (the MPI library's own algorithm).
  Call(const Choice& choice, const Case& of);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() = default;

  [[nodiscard]] const Choice& choice() const noexcept { return choice_; }
  [[nodiscard]] const Case& of() const noexcept { return of_; }
  [[nodiscard]] Collective collective() const noexcept { return choice_.algorithm->collective; }
  [[nodiscard]] const Problem& problem(int rank) const {
    return problems_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] Schedule schedule(int rank) const { return choice_.schedule(problem(rank)); }
  [[nodiscard]] Schedules schedules() const;
  // Units of a space at one rank.
  [[nodiscard]] Units size(int rank, Space space) const;
  // What a rank contributes, there before the first round; empty if nothing.
  [[nodiscard]] Slice given(int rank) const;
  // What a rank has to have after the last round; empty if nothing.
  [[nodiscard]] Slice wanted(int rank) const;

 private:
  Choice choice_;
  Case of_;
  Units scratch_ = 0;
  std::vector<Problem> problems_;
};

}  // namespace roundelay
