// SPDX-License-Identifier: Apache-2.0
// One call of a collective as the interpreters see it: what every rank's Problem is.
#pragma once

#include <functional>
#include <vector>

#include "interpret/block_lengths.hpp"
#include "interpret/case.hpp"
#include "interpret/contents.hpp"

namespace roundelay::interpret {

// Makes the schedule of one rank; an interpreter does not know whether of a catalogue algorithm, a
// mutant of it or something written in a test.
using Schedules = std::function<Schedule(int rank)>;

// Consecutive ranks.
struct RankRange {
  int first = 0;
  int count = 0;

  friend bool operator==(RankRange, RankRange) = default;
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
  // Where there are two groups, of the ranks of both.
  [[nodiscard]] int root() const noexcept { return root_; }
  [[nodiscard]] Dimensions dimensions() const;
  // The length of the whole message if every block were as long as the longest.
  [[nodiscard]] Units even_length() const;
  [[nodiscard]] int ports() const;
  // Whether every rank does as much in each round as any other.
  [[nodiscard]] bool is_symmetric() const;
  [[nodiscard]] const Problem& problem(int rank) const {
    return problems_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] Schedule schedule(int rank) const { return choice_.schedule(problem(rank)); }
  [[nodiscard]] Schedules schedules() const;
  // Units of a space at one rank.
  [[nodiscard]] Units size(int rank, Space space) const;

  // call_contents.cpp: what a rank contributes, there before the first round; empty if nothing.
  [[nodiscard]] Slice given(int rank) const;
  // What a rank has to have after the last round; empty if nothing.
  [[nodiscard]] Slice wanted(int rank) const;
  // What of its output a rank must leave alone, by offset: what is between its blocks, too.
  [[nodiscard]] std::vector<Slice> left_alone(int rank) const;
  // The same, as runs at their offsets in the space, ascending: which unit of the message each unit
  // is. No two ranks' messages share a unit unless they are to be combined.
  [[nodiscard]] Message given_runs(int rank) const;
  [[nodiscard]] Message wanted_runs(int rank) const;
  // Where data is combined: whose contributions a rank's result holds.
  [[nodiscard]] RankRange contributors(int rank) const;

 private:
  void collect_rows();
  void tell_lengths();
  // call_buffers.cpp
  void pose(Problem& problem) const;
  void pose_between(Problem& problem) const;
  void lay_out(Problem& problem);
  [[nodiscard]] Blocks laid_apart(const Blocks& blocks, int first);
  // Of two groups this rank's is the one that sends.
  [[nodiscard]] bool sends(int rank) const noexcept { return of_.q > 0 && rank < of_.p; }
  // Whether the rank has the memory of what its blocks are cut of.
  [[nodiscard]] bool has_blocks(int rank) const noexcept;
  // call_contents.cpp
  [[nodiscard]] Slice slice_of(int rank, ProblemSlice which) const;
  [[nodiscard]] Units index_of_given(int rank) const noexcept;
  [[nodiscard]] Message runs_of_blocks_for(int rank) const;

  Choice choice_;
  Case of_;
  Claims claims_;
  int root_;  // of all ranks
  BlockLengths lengths_;
  Units scratch_;                            // as much as is claimed
  std::vector<std::vector<Units>> rows_;     // of every site, see Problem
  std::vector<std::vector<Units>> passing_;  // of every rank, see Problem
  std::vector<std::vector<Units>> places_;   // of blocks that lie apart
  std::vector<Problem> problems_;
};

}  // namespace roundelay::interpret
