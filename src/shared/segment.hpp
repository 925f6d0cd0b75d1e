// SPDX-License-Identifier: Apache-2.0
// Memory that processes of a node share. When all have opened it, it has no name, so nothing of it
// is left when they end, however they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "shared/layout.hpp"

namespace roundelay::shared {

// How another process opens it.
enum class Way : std::uint8_t {
  // By the number of the file in the process that made it: never has a name and is no part of
  // /dev/shm, which may be small. Needs /proc, the same user and the same pid namespace.
  number,
  // By a random name in /dev/shm, until all have opened it. Needs the same /dev/shm.
  name,
};

// Where another process finds it.
struct Origin {
  std::int64_t process = 0;
  std::int64_t file = -1;   // its descriptor there; -1: there is none
  std::uint64_t nonce = 0;  // also its name
};

class Segment {
 public:
  // The first of the ranks makes it: zeros. See usable(). Throws std::bad_alloc.
  static Segment make(Layout layout, Way way);
  // The others open it.
  static Segment open(const Origin& origin, Layout layout, Way way);

  Segment(Segment&& other) noexcept
      : layout_(other.layout_),
        file_(std::exchange(other.file_, -1)),
        name_(std::exchange(other.name_, {})),
        base_(std::exchange(other.base_, nullptr)),
        nonce_(other.nonce_),
        signature_(std::move(other.signature_)) {}
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
  // Whether a rank signed the memory that this process sees: after it has.
  [[nodiscard]] bool signed_by(int rank) const noexcept;
  // The same of all ranks.
  [[nodiscard]] bool all_signed() const noexcept;
  // Whether this process may read the memory of the process of `rank`: after that has signed.
  [[nodiscard]] bool may_read_from(int rank) const noexcept;
  // Nobody opens it any more; its name is gone.
  void close_file() noexcept;

 private:
  Segment(Layout layout, int file, std::uint64_t nonce);

  [[nodiscard]] std::uint64_t signature_of(int rank) const noexcept {
    return nonce_ + static_cast<std::uint64_t>(rank);
  }

  Layout layout_;
  int file_;
  std::string name_;  // that this process gave it and has not taken from it yet
  std::byte* base_ = nullptr;
  std::uint64_t nonce_;
  // Where others find it in may_read_from(). In another pid namespace a number is another process,
  // perhaps one that also shares this memory: so each rank has a signature of its own.
  std::unique_ptr<std::uint64_t> signature_;
};

}  // namespace roundelay::shared
