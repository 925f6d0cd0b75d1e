// SPDX-License-Identifier: Apache-2.0
// The blocks of all ranks one after the other, lane by lane and in a lane part by part: then those
// of a lane are one block, and those of a lane in one part.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/parts/lane.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {

class Laned {
 public:
  Laned(const Partition& parts, int rank, const Blocks& blocks)
      : parts_(parts.count()),
        lane_(parts, rank),
        offsets_(static_cast<std::size_t>(parts.ranks())),
        lengths_(offsets_.size()),
        lane_lengths_(static_cast<std::size_t>(parts.size(parts.part_of(rank)))),
        lane_offsets_(lane_lengths_.size()) {
    const int lanes = lane_.count();
    for (int lane = 0; lane < static_cast<int>(lane_lengths_.size()); ++lane) {
      const auto one = static_cast<std::size_t>(lane);
      lane_offsets_[one] = length_;
      for (int part = 0; part < parts_ && lane < lanes; ++part) {
        cell_offsets_.push_back(length_ - lane_offsets_[one]);
        const std::span<const int> members = parts.members(part);
        for (auto place = one; place < members.size(); place += static_cast<std::size_t>(lanes)) {
          const auto its = static_cast<std::size_t>(members[place]);
          offsets_[its] = length_;
          lengths_[its] = blocks[members[place]].length();
          length_ += lengths_[its];
        }
        cell_lengths_.push_back(length_ - lane_offsets_[one] - cell_offsets_.back());
      }
      lane_lengths_[one] = length_ - lane_offsets_[one];
    }
  }

  // The caller's.
  [[nodiscard]] const Lane& lane() const noexcept { return lane_; }
  [[nodiscard]] Units length() const noexcept { return length_; }
  [[nodiscard]] Slice of_rank(int rank, Slice whole) const noexcept {
    const auto index = static_cast<std::size_t>(rank);
    return whole.part(offsets_[index], lengths_[index]);
  }
  // A block for each rank of the own part: that of its lane, or an empty one if it only follows.
  // This and the next refer to this.
  [[nodiscard]] Blocks lanes(Slice whole) const noexcept {
    return Blocks::cut(whole, lane_lengths_, lane_offsets_);
  }
  // Of the own lane a block for each part.
  [[nodiscard]] Blocks own_lane(Slice whole) const noexcept {
    const auto count = static_cast<std::size_t>(parts_);
    const std::size_t first = static_cast<std::size_t>(lane_.number()) * count;
    return Blocks::cut(lanes(whole)[lane_.number()], std::span(cell_lengths_).subspan(first, count),
                       std::span(cell_offsets_).subspan(first, count));
  }

 private:
  int parts_;
  Lane lane_;
  Units length_ = 0;
  std::vector<Units> offsets_;  // of each rank's block
  std::vector<Units> lengths_;
  std::vector<Units> lane_lengths_;  // for each rank of the own part
  std::vector<Units> lane_offsets_;
  std::vector<Units> cell_lengths_;  // of each lane, of each part
  std::vector<Units> cell_offsets_;  // in the lane
};

}  // namespace roundelay
