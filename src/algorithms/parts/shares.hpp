// SPDX-License-Identifier: Apache-2.0
// Of data that every rank shall have, the share of each lane: for each rank of a part a block, of
// which those of ranks that only follow are empty.
#pragma once

#include <vector>

#include "algorithms/parts/lane.hpp"

namespace roundelay {

class Shares {
 public:
  Shares(const Partition& parts, int rank, Slice data)
      : data_(data), lane_(parts, rank), place_(parts.place_of(rank)) {
    const Blocks even = Blocks::even(data, lane_.count());
    counts_.resize(static_cast<std::size_t>(parts.size(parts.part_of(rank))));
    for (int lane = 0; lane < lane_.count(); ++lane) {
      counts_[static_cast<std::size_t>(lane)] = even[lane].length();
    }
    displacements_ = displacements_of(counts_);
  }

  // Whether this rank has one.
  [[nodiscard]] bool has_one() const noexcept { return lane_.leads(); }
  [[nodiscard]] Slice own() const noexcept { return blocks()[place_]; }
  // A block for each rank of the own part. Refers to this.
  [[nodiscard]] Blocks blocks() const noexcept {
    return Blocks::cut(data_, counts_, displacements_);
  }
  // The ranks of the own lane, part by part. Refers to this.
  [[nodiscard]] Subgroup lane(const Group& g) const noexcept { return lane_.group(g); }

 private:
  Slice data_;
  Lane lane_;
  int place_;
  std::vector<Units> counts_;
  std::vector<Units> displacements_;
};

}  // namespace roundelay
