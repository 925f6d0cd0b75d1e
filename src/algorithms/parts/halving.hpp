// SPDX-License-Identifier: Apache-2.0
// Vector halving: two partners share out a vector between them, each combines its half and goes on
// with it, until every rank has the result of one segment; and the way back.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// Segments first .. last - 1 of those into which a vector is cut.
struct BlockRange {
  int first;
  int last;

  [[nodiscard]] BlockRange half(bool upper) const noexcept {
    const int middle = (first + last) / 2;
    return upper ? BlockRange{middle, last} : BlockRange{first, middle};
  }
  // What this is the upper or the lower half of.
  [[nodiscard]] BlockRange doubled(bool upper) const noexcept {
    const int length = last - first;
    return upper ? BlockRange{first - length, last} : BlockRange{first, last + length};
  }
  [[nodiscard]] Slice of(const Blocks& cut) const noexcept { return cut.range(first, last); }
};

// A rank's partial result, and where another's arrives. A combination lands where its higher
// operand is: where that may not be the own one, the buffers change places. The same segments have
// the same place in all of them.
class PartialResult {
 public:
  // Begins with `input`, which is left alone unless it is the same slice as `data`.
  PartialResult(Slice input, Slice data, Slice scratch, bool commutative) noexcept
      : mine_(input),
        theirs_(data),
        spare_(scratch.part(0, data.length())),
        read_only_(input != data),
        commutative_(commutative) {
    if (!read_only_) theirs_ = spare_;
  }

  [[nodiscard]] Slice mine() const noexcept { return mine_; }
  [[nodiscard]] Slice theirs() const noexcept { return theirs_; }
  [[nodiscard]] Slice mine(const Blocks& cut, BlockRange range) const noexcept {
    return range.of(cut.over(mine_));
  }
  [[nodiscard]] Slice theirs(const Blocks& cut, BlockRange range) const noexcept {
    return range.of(cut.over(theirs_));
  }

  // The steps that combine what has arrived with the own; `higher`: the own ranks are the higher.
  std::array<LocalStep, 2> absorb(const Blocks& cut, BlockRange range, bool higher) noexcept {
    const Slice kept = mine(cut, range);
    const Slice got = theirs(cut, range);
    const LocalStep nothing = copy(Slice(), Slice());
    if (!read_only_) {
      if (higher || commutative_) return {combine(got, kept), nothing};
      std::swap(mine_, theirs_);
      return {combine(kept, got), nothing};
    }
    read_only_ = false;
    if (!higher || commutative_) {
      mine_ = std::exchange(theirs_, spare_);
      return {combine(kept, got), nothing};
    }
    mine_ = spare_;
    return {copy(kept, mine(cut, range)), combine(got, mine(cut, range))};
  }

  // Goes on in the other buffer, into which the own vector is being copied.
  void move() noexcept {
    mine_ = std::exchange(theirs_, read_only_ ? spare_ : mine_);
    read_only_ = false;
  }

 private:
  Slice mine_;
  Slice theirs_;
  Slice spare_;  // takes part once `input` does no more
  bool read_only_;
  bool commutative_;
};

// Before a halving, where the number of ranks is not a power of two: of each pair (0, 1), (2, 3),
// .. both combine one half of their vectors, then one gives its half to the one that stays.
Schedule fold_halves(Group g, PartialResult& x, bool stays);

// Among 2^l ranks, in l rounds. Distances are 1, 2, 4, ..: partial results are always of
// consecutive ranks, and rank v ends with the range halved(v, ..). The number of segments is a
// multiple of that of the ranks.
Schedule halve(Group t, Blocks cut, PartialResult& x);

// The way back from a halving: the ranks' ranges, which are at their place
// in `result`, come to all ranks, or to one if it is given.
inline constexpr int all_ranks = -1;
Schedule gather_halves(Group t, Blocks result, int root = all_ranks);

// The log2 p lowest bits of v in reverse.
constexpr int bit_reversed(int v, int p) noexcept {
  int reversed = 0;
  for (int bit = 1; bit < p; bit *= 2, v /= 2) reversed = 2 * reversed + v % 2;
  return reversed;
}

// With what rank v of p ends a halving.
constexpr BlockRange halved(int v, int p, int segments) noexcept {
  const int length = segments / p;
  const int first = bit_reversed(v, p) * length;
  return {first, first + length};
}

// The first block of rank v of those that stay where the first 2 * pairs ranks are folded: one that
// stays for two has the blocks of both.
constexpr int first_block(int v, int pairs) noexcept { return std::min(2 * v, v + pairs); }

// The blocks of a vector as segments of the ranks that stay.
class FoldedBlocks {
 public:
  // In the order of the ranks; or as halved() wants them, so that rank v ends with its own.
  enum class Order : std::uint8_t { ranks, bit_reversed };

  FoldedBlocks(Blocks blocks, int pairs, Order order);

  [[nodiscard]] Blocks over(Slice whole) const noexcept {
    return counts_.empty() ? blocks_.over(whole) : Blocks::cut(whole, counts_, displacements_);
  }

 private:
  Blocks blocks_;
  // None: the blocks are the segments.
  std::vector<Units> counts_;
  std::vector<Units> displacements_;
};

}  // namespace roundelay
