// SPDX-License-Identifier: Apache-2.0
// Where blocks of any lengths wait that a rank passes on.
#pragma once

#include <span>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// A place in scratch memory for each, one after the other: so a schedule that moves the lengths of
// the blocks in the place of the blocks leaves them there in this order (Problem::passing).
class WaitingRoom {
 public:
  explicit WaitingRoom(const Problem& x)
      : scratch_(x.scratch), lengths_(x.passing), even_(x.blocks[x.group.rank].length()) {}

  // For the next that arrives.
  [[nodiscard]] Slice next() noexcept {
    const Slice place = scratch_.part(filled_, lengths_.empty() ? even_ : lengths_[taken_++]);
    filled_ += place.length();
    return place;
  }

 private:
  Slice scratch_;
  std::span<const Units> lengths_;
  Units even_;
  std::size_t taken_ = 0;
  Units filled_ = 0;
};

}  // namespace roundelay
