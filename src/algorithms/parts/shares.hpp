// SPDX-License-Identifier: Apache-2.0
// Lanes: of every part the ranks of one place, and the share of the data that is theirs.
//
// There are as many lanes as the smallest part has ranks, so ranks at later places of greater parts
// have no share: the data is cut into one block for each rank of a part, of which those are empty.
#pragma once

#include <numeric>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

class Shares {
 public:
  Shares(const Partition& parts, int rank, Slice data)
      : data_(data), lane_(parts.place_of(rank)), part_(parts.part_of(rank)) {
    const int lanes = parts.smallest();
    const Blocks even = Blocks::even(data, lanes);
    const auto ranks = static_cast<std::size_t>(parts.size(part_));
    counts_.resize(ranks);
    for (int lane = 0; lane < lanes; ++lane) {
      counts_[static_cast<std::size_t>(lane)] = even[lane].length();
    }
    offsets_.resize(ranks);
    std::exclusive_scan(counts_.begin(), counts_.end(), offsets_.begin(), Units{0});
    if (lane_ >= lanes) return;
    for (int part = 0; part < parts.count(); ++part) {
      members_.push_back(parts.members(part)[static_cast<std::size_t>(lane_)]);
    }
  }

  // Whether this rank has one.
  [[nodiscard]] bool has_one() const noexcept { return !members_.empty(); }
  [[nodiscard]] Slice own() const noexcept { return blocks()[lane_]; }
  // A block for each rank of the own part. Refers to this.
  [[nodiscard]] Blocks blocks() const noexcept { return Blocks::cut(data_, counts_, offsets_); }
  // The ranks of the own lane, part by part. Refers to this.
  [[nodiscard]] Subgroup lane(const Group& g) const noexcept {
    return g.listed(members_.data(), static_cast<int>(members_.size()), part_);
  }

 private:
  Slice data_;
  int lane_;
  int part_;
  std::vector<Units> counts_;
  std::vector<Units> offsets_;
  std::vector<int> members_;
};

}  // namespace roundelay
