// SPDX-License-Identifier: Apache-2.0
// What a schedule says about memory: slices of three spaces, and blocks that cut a slice.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

namespace roundelay {

// Offsets and lengths are counted in units: a byte where data is moved, one element of the datatype
// where it is reduced.
using Units = std::int64_t;

enum class Space : std::uint8_t { input, output, scratch };

// `length` units from `offset` on in one of the spaces. 16 bytes, so that a copy is one move: a
// round is written and read within nanoseconds, and what is stored in pieces and loaded whole
// stalls.
class alignas(16) Slice {
 public:
  constexpr Slice() noexcept = default;
  constexpr Slice(Space space, Units offset, Units length) noexcept
      : place_(offset * 4 + static_cast<Units>(space)), length_(length) {}

  [[nodiscard]] constexpr Space space() const noexcept { return static_cast<Space>(place_ & 3); }
  [[nodiscard]] constexpr Units offset() const noexcept { return place_ >> 2; }
  [[nodiscard]] constexpr Units length() const noexcept { return length_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return length_ == 0; }
  [[nodiscard]] constexpr Units end() const noexcept { return offset() + length_; }

  // The part [from, from + count) of this slice.
  [[nodiscard]] constexpr Slice part(Units from, Units count) const noexcept {
    assert(from >= 0 && count >= 0 && from + count <= length_);
    return Slice(place_ + from * 4, count);
  }

  [[nodiscard]] constexpr bool overlaps(Slice other) const noexcept {
    return space() == other.space() && offset() < other.end() && other.offset() < end();
  }
  [[nodiscard]] constexpr bool contains(Slice other) const noexcept {
    return space() == other.space() && offset() <= other.offset() && other.end() <= end();
  }
  // Whether `next` begins where this slice ends.
  [[nodiscard]] constexpr bool joins(Slice next) const noexcept {
    return next.place_ == place_ + length_ * 4;
  }
  constexpr void extend(Units by) noexcept { length_ += by; }

  friend constexpr bool operator==(Slice, Slice) noexcept = default;

 private:
  constexpr Slice(Units place, Units length) noexcept : place_(place), length_(length) {}

  Units place_ = static_cast<Units>(Space::output);  // offset * 4 + space
  Units length_ = 0;
};

// Memory for messages of more than two slices. Belongs to a schedule; what it holds must stay until
// the schedule is resumed, then clear().
class SliceRoom {
 public:
  void clear() noexcept { slices_.clear(); }
  void reserve(std::size_t slices) { slices_.reserve(slices); }

 private:
  friend class Slices;
  std::vector<Slice> slices_;
};

// The slices of one message, in the order in which they are packed. Neighbours in memory become one
// slice and empty slices vanish. Two fit without more memory: that is a cyclic interval of blocks.
// More need a SliceRoom of their own, given with each.
class Slices {
 public:
  Slices() noexcept : few_{}, count_(0), length_(0) {}
  Slices(Slice slice) noexcept  // NOLINT(google-explicit-constructor): a slice is a message
      : count_(slice.empty() ? 0 : 1), length_(slice.length()) {
    std::construct_at(few_, slice);
  }
  // Slices that somebody else keeps, `length` units in all.
  Slices(std::span<const Slice> kept, Units length) noexcept
      : count_(kept.size()), length_(length) {
    if (kept.size() > fit) {
      many_ = kept.data();
    } else {
      std::uninitialized_copy(kept.begin(), kept.end(), few_);
    }
  }

  void add(Slice slice) noexcept {
    if (slice.empty() || append(slice)) return;
    assert(count_ < fit);
    std::construct_at(few_ + count_++, slice);
  }

  void add(Slice slice, SliceRoom& room) {
    if (slice.empty()) return;
    if (count_ <= fit) {
      if (append(slice)) return;
      if (count_ < fit) {
        std::construct_at(few_ + count_++, slice);
        return;
      }
      room.slices_.assign(few_, few_ + fit);
    } else {
      length_ += slice.length();
      if (Slice& last = room.slices_.back(); last.joins(slice)) {
        last.extend(slice.length());
        return;
      }
    }
    room.slices_.push_back(slice);
    many_ = room.slices_.data();
    count_ = room.slices_.size();
  }

  [[nodiscard]] const Slice* begin() const noexcept { return count_ > fit ? many_ : few_; }
  [[nodiscard]] const Slice* end() const noexcept { return begin() + count_; }
  [[nodiscard]] std::span<const Slice> view() const noexcept { return {begin(), count_}; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  // Whether a copy of this needs them to be kept by somebody.
  [[nodiscard]] bool are_elsewhere() const noexcept { return count_ > fit; }
  // Units in all slices together: the length of the message.
  [[nodiscard]] Units length() const noexcept { return length_; }

 private:
  static constexpr std::size_t fit = 2;

  // Counts the slice in, and makes it part of the last one if it can.
  bool append(Slice slice) noexcept {
    length_ += slice.length();
    if (count_ == 0 || !few_[count_ - 1].joins(slice)) return false;
    few_[count_ - 1].extend(slice.length());
    return true;
  }

  // A second slice that does not count is never written: of what a round costs, stores are the
  // most.
  union {
    Slice few_[fit];
    const Slice* many_;
  };
  std::size_t count_;
  Units length_;
};

// Where blocks of so many units begin that lie one after the other.
[[nodiscard]] inline std::vector<Units> displacements_of(std::span<const Units> counts) {
  std::vector<Units> displacements(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), Units{0});
  return displacements;
}

// A slice cut into `size()` blocks, evenly or by counts and displacements. Block indices wrap once
// around in either direction, so that an algorithm may write blocks[rank - step].
class Blocks {
 public:
  // One empty block.
  Blocks() noexcept = default;

  // n consecutive blocks whose lengths differ by one at most, the longer ones first; some may be
  // empty.
  static Blocks even(Slice whole, int n) noexcept {
    Blocks blocks(whole, n);
    blocks.quotient_ = whole.length() / n;
    blocks.remainder_ = static_cast<int>(whole.length() % n);
    return blocks;
  }

  // Block j is counts[j] units at displacement displacements[j] of `whole`. The arrays are not
  // copied; they must outlive the blocks.
  static Blocks cut(Slice whole, std::span<const Units> counts,
                    std::span<const Units> displacements) noexcept {
    assert(counts.size() == displacements.size());
    Blocks blocks(whole, static_cast<int>(counts.size()));
    blocks.counts_ = counts.data();
    blocks.displacements_ = displacements.data();
    return blocks;
  }

  [[nodiscard]] int size() const noexcept { return n_; }
  [[nodiscard]] Slice whole() const noexcept { return whole_; }
  // Whether size and whole say all about the blocks.
  [[nodiscard]] bool is_even() const noexcept { return counts_ == nullptr; }
  // Of blocks that were cut by counts and displacements: these.
  [[nodiscard]] std::span<const Units> counts() const noexcept { return values(counts_); }
  [[nodiscard]] std::span<const Units> displacements() const noexcept {
    return values(displacements_);
  }
  // The same cut of another slice, which is as long.
  [[nodiscard]] Blocks over(Slice other) const noexcept {
    assert(other.length() == whole_.length());
    Blocks blocks = *this;
    blocks.whole_ = other;
    return blocks;
  }

  [[nodiscard]] Slice operator[](int index) const noexcept {
    const int j = wrap(index);
    if (counts_ != nullptr) return whole_.part(displacements_[j], counts_[j]);
    return whole_.part(edge(j), quotient_ + (j < remainder_ ? 1 : 0));
  }

  // Blocks first .. last - 1 as one slice, without a wrap. Only of blocks that follow each other
  // without gaps, as those of an even cut do.
  [[nodiscard]] Slice range(int first, int last) const noexcept {
    assert(0 <= first && first <= last && last <= n_);
    const Units from = edge(first);
    return whole_.part(from, edge(last) - from);
  }

  // Blocks first, first + 1, .., first + count - 1 (indices modulo size): the slices of one
  // message. `room` is needed only where blocks were cut by counts and displacements.
  [[nodiscard]] Slices run(int first, int count, SliceRoom& room) const {
    assert(count >= 0 && count <= n_);
    const int from = wrap(first);
    Slices slices;
    if (counts_ != nullptr) {
      for (int i = 0; i < count; ++i) slices.add((*this)[from + i], room);
      return slices;
    }
    const int before_wrap = count < n_ - from ? count : n_ - from;
    slices.add(range(from, from + before_wrap));
    slices.add(range(0, count - before_wrap));
    return slices;
  }

 private:
  Blocks(Slice whole, int n) noexcept : whole_(whole), n_(n) { assert(n > 0); }

  [[nodiscard]] std::span<const Units> values(const Units* of) const noexcept {
    return {of, of != nullptr ? static_cast<std::size_t>(n_) : 0};
  }
  [[nodiscard]] int wrap(int index) const noexcept {
    assert(index >= -n_ && index < 2 * n_);
    // Without branches: where an algorithm wraps is another place on every rank.
    index += n_ & -static_cast<int>(index < 0);
    return index - (n_ & -static_cast<int>(index >= n_));
  }
  // Where block j begins; of n_, where the last one ends.
  [[nodiscard]] Units edge(int j) const noexcept {
    if (counts_ != nullptr)
      return j < n_ ? displacements_[j] : displacements_[n_ - 1] + counts_[n_ - 1];
    return j * quotient_ + (j < remainder_ ? j : remainder_);
  }

  Slice whole_;
  Units quotient_ = 0;
  int n_ = 1;
  int remainder_ = 0;
  const Units* counts_ = nullptr;
  const Units* displacements_ = nullptr;
};

}  // namespace roundelay
