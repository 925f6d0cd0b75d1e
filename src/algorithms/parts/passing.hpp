// SPDX-License-Identifier: Apache-2.0
// Where blocks of any lengths wait that a rank passes on.
#pragma once

#include <algorithm>
#include <span>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// A place in scratch memory for each, one after the other: so a schedule that moves the lengths of
// the blocks in the place of the blocks leaves them there in this order (Problem::passing).
class WaitingRoom {
 public:
  explicit WaitingRoom(const Problem& x)
      : scratch_(x.scratch), lengths_(x.passing), even_(length_of_any(x)) {}

  // For the next that arrives.
  [[nodiscard]] Slice next() noexcept {
    const Slice place = scratch_.part(filled_, lengths_.empty() ? even_ : lengths_[taken_++]);
    filled_ += place.length();
    return place;
  }

 private:
  // Of a block, where all are of one length. A rank may have none but those that it sends.
  static Units length_of_any(const Problem& x) {
    const int rank = x.group.rank;
    if (x.graph == nullptr) return x.blocks[0].length();
    if (!x.graph->sources(rank).empty()) {
      return x.blocks[x.graph->sources(rank).front().block].length();
    }
    if (x.graph->destinations(rank).empty()) return x.blocks[0].length();
    return sends_one_block(x.choice->algorithm->collective)
               ? x.input.length()
               : x.given[x.graph->destinations(rank).front().block].length();
  }

  Slice scratch_;
  std::span<const Units> lengths_;
  Units even_;
  std::size_t taken_ = 0;
  Units filled_ = 0;
};

// The same call with the lengths of the blocks in the place of the blocks, so many units each. A
// rank that is sent nothing has a block all the same: it may pass on what others are sent.
[[nodiscard]] inline Problem of_lengths(Problem x, Units units) {
  const auto row = [units](Space space, int blocks) {
    return Blocks::even(Slice(space, 0, units * blocks), blocks);
  };
  const int rank = x.group.rank;
  const int sent = x.graph != nullptr ? x.graph->sent_blocks(rank) : x.group.size;
  const int received = x.graph != nullptr ? x.graph->received_blocks(rank) : x.group.size;
  x.input = Slice(Space::input, 0, units);
  x.given = row(Space::input, std::max(1, sent));
  x.blocks = row(Space::output, std::max(1, received));
  x.passing = {};
  return x;
}

}  // namespace roundelay
