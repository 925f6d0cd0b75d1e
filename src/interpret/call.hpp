// SPDX-License-Identifier: Apache-2.0
// One call of a collective as the interpreters see it: what every rank's Problem is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "interpret/contents.hpp"

namespace roundelay::interpret {

// Makes the schedule of one rank; an interpreter does not know whether of a catalogue algorithm, a
// mutant of it or something written in a test.
using Schedules = std::function<Schedule(int rank)>;

// How long the blocks are where a collective leaves that open (see irregular()); Traff's three
// cases. Where every rank has a block for every other, think of rank i and j in place of i.
enum class Distribution : std::uint8_t {
  even,
  uneven,     // in proportion to i mod 3
  degenerate  // one rank has all
};

struct Case {
  int p = 1;     // ranks; where there are two groups, senders
  int root = 0;  // where there are two groups, one of the ranks of its own
  Units m = 0;   // the whole message, see Claims
  bool commutative = true;
  bool in_place = false;  // the contribution lies where the result shall be (reduce: at the root)
  Distribution distribution = Distribution::even;
  // Where MPI lets every rank say where its blocks lie (see laid_out()): in another order than the
  // ranks, with gaps, and elsewhere on each rank. Else one after the other.
  bool apart = false;
  Units longest = 0;  // of any lengths: of the longest block, the others share the rest; 0: no such
  int ports = 0;      // sends, and as many receives, that a rank may have in flight; 0: as claimed
  int q = 0;          // receivers; 0: there is one group
  Topology topology = {};  // where the ranks are, if that is to be known
  NetworkLengths network = {};
  std::shared_ptr<const Graph> graph = {};  // of a neighbourhood collective; none: a ring

  [[nodiscard]] int ranks() const noexcept { return p + q; }
  // How many have a result.
  [[nodiscard]] int receivers() const noexcept { return q > 0 ? q : p; }
};

// Whether a rank says with displacements where its blocks lie. Those of a reduce_scatter follow one
// another.
[[nodiscard]] constexpr bool laid_out(Collective collective) noexcept {
  return irregular(collective) && !reduces(collective);
}

// The case must outlive them.
[[nodiscard]] inline Circumstances circumstances_of(const Case& of) {
  return {of.p, of.commutative, &of.topology};
}

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
  // What a rank contributes, there before the first round; empty if nothing.
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
  void cut();
  void cut_by_edges();
  void pad();
  void collect_rows();
  void tell_lengths();
  void pose(Problem& problem);
  void pose_between(Problem& problem) const;
  void lay_out(Problem& problem);
  [[nodiscard]] Blocks laid_apart(const Blocks& blocks, int rank);
  // The blocks as they lie, of which each is the next units of the message from `index` on.
  [[nodiscard]] static Message runs_of(const Blocks& blocks, Units index);
  [[nodiscard]] Slice slice_of(int rank, ProblemSlice which) const;
  // Where blocks are cut, one for each of so many ranks.
  [[nodiscard]] int block_count() const noexcept;
  // Of two groups this rank's is the one that sends.
  [[nodiscard]] bool sends(int rank) const noexcept { return of_.q > 0 && rank < of_.p; }
  // Whether the rank has the memory of what its blocks are cut of.
  [[nodiscard]] bool has_blocks(int rank) const noexcept;
  [[nodiscard]] Units index_of_given(int rank) const noexcept;  // of a neighbourhood collective
  [[nodiscard]] Blocks row(int rank, Slice whole) const;
  [[nodiscard]] Blocks column(int rank, Slice whole) const;

  // Lengths and places of blocks; where every rank has one for every other, p rows of p.
  struct Cut {
    std::vector<Units> counts;
    std::vector<Units> displacements;

    void place(int p);
    [[nodiscard]] Blocks row(int index, int p, Slice whole) const;
    [[nodiscard]] Blocks all(Slice whole) const;
  };

  Choice choice_;
  Case of_;
  int root_ = 0;       // of all ranks
  Units scratch_ = 0;  // as much as is claimed
  Cut cut_;
  Cut turned_;             // where every rank has a block for every other: the columns as rows
  std::vector<Cut> sent_;  // of each rank, of a neighbourhood collective
  std::vector<Cut> received_;
  std::vector<std::vector<Units>> rows_;     // of every site, see Problem
  std::vector<std::vector<Units>> passing_;  // of every rank, see Problem
  std::vector<std::vector<Units>> places_;   // of blocks that lie apart
  std::vector<Problem> problems_;
};

}  // namespace roundelay::interpret
