// SPDX-License-Identifier: Apache-2.0
// The blocks of all ranks one after the other, part by part: then those of a part are one block.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

class Arranged {
 public:
  Arranged(const Partition& parts, const Blocks& blocks) : parts_(&parts) {
    Units end = 0;
    for (int part = 0; part < parts.count(); ++part) {
      part_offsets_.push_back(end);
      for (const int rank : parts.members(part)) {
        offsets_.push_back(end);
        lengths_.push_back(blocks[rank].length());
        end += lengths_.back();
      }
      part_lengths_.push_back(end - part_offsets_.back());
    }
    length_ = end;
  }

  [[nodiscard]] Units length() const noexcept { return length_; }
  [[nodiscard]] Units of_part(int part) const noexcept {
    return part_lengths_[static_cast<std::size_t>(part)];
  }
  // A block for each part. This and the next refer to this; `whole` is as long.
  [[nodiscard]] Blocks parts(Slice whole) const noexcept {
    return Blocks::cut(whole, part_lengths_, part_offsets_);
  }
  // A block for each rank of a part.
  [[nodiscard]] Blocks of(int part, Slice whole) const noexcept {
    const auto first = static_cast<std::size_t>(parts_->before(part));
    const auto size = static_cast<std::size_t>(parts_->size(part));
    return Blocks::cut(whole, std::span(lengths_).subspan(first, size),
                       std::span(offsets_).subspan(first, size));
  }
  [[nodiscard]] Slice of_rank(int rank, Slice whole) const noexcept {
    return of(parts_->part_of(rank), whole)[parts_->place_of(rank)];
  }

 private:
  const Partition* parts_;
  Units length_ = 0;
  std::vector<Units> lengths_;
  std::vector<Units> offsets_;
  std::vector<Units> part_lengths_;
  std::vector<Units> part_offsets_;
};

}  // namespace roundelay
