// SPDX-License-Identifier: Apache-2.0
// What lies where in memory that the ranks of a communicator write for each other from afar.
//
// Every rank has an area of the same size: for each other rank a number, how many of this rank's
// pieces that one has taken, and slots for the pieces that come from there. All numbers only grow,
// modulo 2^32, and memory that is all zero is the beginning.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/layout.hpp"

namespace roundelay::shared {

// What comes before the bytes of a piece. A window may begin at any multiple of 8 bytes, as some of
// Open MPI 4.1.4 do.
struct PieceHead {
  std::uint64_t check = 0;     // of all that follows, and of the bytes
  std::uint32_t sequence = 0;  // 1, 2, ..
  std::uint32_t length = 0;    // bytes
  Tag tag = 0;
  std::uint8_t last = 0;           // 1: no more pieces of its message
  std::uint8_t wants_receipt = 0;  // 1: the sender waits until it is told that this was taken
  std::array<std::uint8_t, 10> unused{};
};
static_assert(sizeof(PieceHead) == 32 && alignof(PieceHead) == 8);

// Two that differ have different checks, but for one pair in 2^64.
[[nodiscard]] std::uint64_t check_of(const PieceHead& head,
                                     std::span<const std::byte> bytes) noexcept;

class PutLayout {
 public:
  static constexpr std::size_t slots = 8;  // from one rank to another

  // Slots have room for 16 KiB, or less, down to 256 bytes, so that an area of up to 512 ranks has
  // little more than 1 MiB.
  explicit constexpr PutLayout(int ranks) noexcept
      : ranks_(static_cast<std::size_t>(ranks)),
        room_(std::clamp(std::bit_floor(most_bytes / (slots * ranks_)), least_room, most_room)) {}

  [[nodiscard]] constexpr int ranks() const noexcept { return static_cast<int>(ranks_); }
  // Bytes of a message that fit a slot.
  [[nodiscard]] constexpr std::size_t room() const noexcept { return room_; }
  [[nodiscard]] constexpr std::size_t area_bytes() const noexcept { return slot_at(ranks(), 0); }

  // Offsets in an area: what `rank` says that it has taken, and where a piece from it comes.
  [[nodiscard]] static constexpr std::size_t taken_at(int rank) noexcept {
    return static_cast<std::size_t>(rank) * sizeof(std::uint64_t);
  }
  [[nodiscard]] constexpr std::size_t slot_at(int rank, std::uint32_t sequence) const noexcept {
    const std::size_t numbers = (taken_at(ranks()) + cache_line - 1) / cache_line * cache_line;
    const std::size_t slot = static_cast<std::size_t>(rank) * slots + sequence % slots;
    return numbers + slot * (cache_line + room_);
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;
  static constexpr std::size_t least_room = 256;
  static constexpr std::size_t most_room = 16384;

  std::size_t ranks_;
  std::size_t room_;
};

}  // namespace roundelay::shared
