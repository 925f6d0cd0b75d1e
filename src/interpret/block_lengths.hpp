// SPDX-License-Identifier: Apache-2.0
// How long the blocks of a case are; they lie one after the other.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "interpret/case.hpp"

namespace roundelay::interpret {

class BlockLengths {
 public:
  BlockLengths(const Choice& choice, const Case& of);

  // The blocks that a rank has for each, or those that all share. They refer to this.
  [[nodiscard]] Blocks row(int rank, Slice whole) const;
  // The blocks that a rank gets from each, where every rank has its own for others.
  [[nodiscard]] Blocks column(int rank, Slice whole) const;
  // Of a row. Of a graph: if that were one of all ranks.
  [[nodiscard]] int count() const noexcept { return count_; }
  // None: blocks are cut evenly.
  [[nodiscard]] std::optional<Units> longest() const;
  // From now on all blocks are alike.
  void pad() noexcept;

 private:
  struct Cut {
    std::vector<Units> counts;
    std::vector<Units> displacements;

    explicit Cut(std::vector<Units> lengths)
        : counts(std::move(lengths)), displacements(displacements_of(counts)) {}
    [[nodiscard]] Blocks of(Slice whole) const;
  };

  void cut_by_pairs(const Case& of, Distribution distribution);
  void cut_by_edges(const Case& of, Distribution distribution, bool one_block);

  int count_;
  std::vector<Cut> rows_;     // of each rank, or one for all; none: even
  std::vector<Cut> columns_;  // of each rank
};

}  // namespace roundelay::interpret
