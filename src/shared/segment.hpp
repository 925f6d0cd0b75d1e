// SPDX-License-Identifier: Apache-2.0
// Memory that processes of a node share. It has no name, so nothing of it is left when they end,
// however they end, and it is no part of /dev/shm, which may be small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "shared/layout.hpp"

namespace roundelay::shared {

// Where another process finds it.
struct Origin {
  std::int64_t process = 0;
  std::int64_t file = -1;  // its descriptor there; -1: there is none
  std::uint64_t nonce = 0;
};

class Segment {
 public:
  // The first of the ranks makes it: zeros. See usable(). Throws std::bad_alloc.
  static Segment make(Layout layout);
  // The others open it through /proc, which needs the same user and the same pid namespace.
  static Segment open(const Origin& origin, Layout layout);

  Segment(Segment&& other) noexcept
      : layout_(other.layout_),
        file_(std::exchange(other.file_, -1)),
        base_(std::exchange(other.base_, nullptr)),
        nonce_(std::move(other.nonce_)) {}
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  // Whether this process sees it.
  [[nodiscard]] bool usable() const noexcept { return base_ != nullptr; }
  [[nodiscard]] Origin origin() const noexcept;
  [[nodiscard]] View view() const noexcept { return {base_, layout_}; }

  // Takes the memory of this rank's area from the system, so that to write there never fails later,
  // and signs it. False if there is not enough.
  bool take_area(int rank) noexcept;
  // Whether all ranks signed the memory that this process sees: after all have.
  [[nodiscard]] bool all_signed() const noexcept;
  // Whether this process may read the memory of the process of `rank`: after that has signed.
  [[nodiscard]] bool may_read_from(int rank) const noexcept;
  // Nobody opens it any more.
  void close_file() noexcept;

 private:
  Segment(Layout layout, int file, std::uint64_t nonce);

  Layout layout_;
  int file_;
  std::byte* base_ = nullptr;
  std::unique_ptr<const std::uint64_t> nonce_;  // where others find it in may_read_from()
};

// From how many bytes on it takes less time to read from another process than to copy twice, as
// this process measures it by reading from itself; 0: it never does up to a megabyte.
[[nodiscard]] std::size_t worth_reading_in_place() noexcept;

}  // namespace roundelay::shared
