// SPDX-License-Identifier: Apache-2.0
// What lies where in memory that the ranks of a node share.
//
// Every rank has an area of the same size: its bell, a meeting (used is that of the first one), the
// lines that the others write for it, its word on how many of them it has taken, and cells for what
// it sends. Each cache line has one writer, but for bells and the meeting. All numbers only grow,
// modulo 2^32, and memory that is all zero is the beginning.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "shared/meeting.hpp"

namespace roundelay::shared {

inline constexpr std::size_t cache_line = 64;

// Whether number `a` is `b` or a later one.
constexpr bool reached(std::uint32_t a, std::uint32_t b) noexcept {
  return static_cast<std::int32_t>(a - b) >= 0;
}

// Of which message a piece is.
using Tag = std::uint32_t;
inline constexpr Tag largest_tag = (Tag{1} << 23U) - 1;

// A piece of a message, from one rank to another.
struct alignas(cache_line) Line {
  static constexpr std::size_t room = 56;

  // Of the piece; written last, with release. See Head.
  std::atomic<std::uint64_t> head;
  std::byte data[room];
};
static_assert(sizeof(Line) == cache_line);

// What is no longer goes in lines alone: in a cell it would take a cache line more.
inline constexpr std::size_t most_short_lines = 3;
inline constexpr std::size_t short_bytes = most_short_lines * Line::room;

// What the head of a line says.
struct Head {
  // in_line: the bytes are in the line; in_cell: in a cell of the sender; in_place: in the memory
  // of the sender.
  enum class Kind : std::uint8_t { in_line, in_cell, in_place };

  std::uint32_t sequence = 0;  // of the line: 1, 2, ..
  Tag tag = 0;
  Kind kind = Kind::in_line;
  bool last = false;        // no more pieces of its message
  std::uint8_t length = 0;  // bytes in the line

  [[nodiscard]] constexpr std::uint64_t word() const noexcept {
    return std::uint64_t{sequence} << 32U | std::uint64_t{tag} << 9U |
           std::uint64_t{static_cast<std::uint8_t>(kind)} << 7U | std::uint64_t{last} << 6U |
           length;
  }
  static constexpr std::uint32_t sequence_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 32U);
  }
  static constexpr Head of(std::uint64_t word) noexcept {
    return {.sequence = sequence_of(word),
            .tag = static_cast<Tag>(word >> 9U) & largest_tag,
            .kind = static_cast<Kind>(word >> 7U & 3U),
            .last = (word >> 6U & 1U) != 0,
            .length = static_cast<std::uint8_t>(word & 63U)};
  }
};

// In a line whose bytes are elsewhere.
struct Elsewhere {
  std::uint64_t where = 0;  // from the first cell on, or an address
  std::uint64_t bytes = 0;
};

// In a line whose bytes are in the memory of the sender. If the receiver cannot read them there, it
// asks for them, and the sender copies one part after the other.
struct InPlace {
  static constexpr std::uint64_t here = ~std::uint64_t{0};

  Elsewhere piece;
  Elsewhere part;                     // the last that was copied: in a cell, or `here`
  std::atomic<std::uint32_t> copied;  // the number of the ask for it
  std::byte few[16];
};
static_assert(sizeof(InPlace) <= Line::room);

// On which a rank sleeps until another one rings.
struct alignas(cache_line) Bell {
  std::atomic<std::uint32_t> rings;
  std::atomic<std::uint32_t> sleeps;  // 1: its owner is about to sleep, or does
  // Of the owner, from before anybody looks: see Segment.
  std::uint64_t nonce;
  std::int64_t process;
  std::uint64_t nonce_address;  // where the owner has the nonce in its own memory
};
static_assert(sizeof(Bell) == cache_line);

// How many lines of a rank another one has taken.
struct alignas(cache_line) Taken {
  std::atomic<std::uint32_t> lines;
  // How often it has asked for bytes of the next line that it cannot read where they are; and for
  // those from which byte of the piece on, in whole elements of so many bytes.
  std::atomic<std::uint32_t> asks;
  std::uint64_t from;
  std::uint64_t grain;
};

class Layout {
 public:
  // From one rank to another: many where there are few ranks, so that one may run ahead of others
  // that have no core.
  static constexpr std::size_t most_lines = 64;
  static constexpr std::size_t least_lines = 8;
  static constexpr std::size_t cells = 16;
  static constexpr std::size_t cell_bytes = 16384;

  explicit constexpr Layout(int ranks) noexcept
      : ranks_(static_cast<std::size_t>(ranks)),
        lines_(std::clamp(std::bit_floor(1024 / ranks_), least_lines, most_lines)) {}

  [[nodiscard]] constexpr int ranks() const noexcept { return static_cast<int>(ranks_); }
  [[nodiscard]] constexpr std::size_t lines() const noexcept { return lines_; }  // a power of two
  // Of one rank, in whole pages: 256 KiB for the cells, and for lines at most 64 KiB as long as
  // there are 128 ranks at most.
  [[nodiscard]] constexpr std::size_t area_bytes() const noexcept {
    return (cells_at() + cells * cell_bytes + page - 1) / page * page;
  }
  [[nodiscard]] constexpr std::size_t bytes() const noexcept { return ranks_ * area_bytes(); }

  // Offsets in an area.
  [[nodiscard]] static constexpr std::size_t meeting_at() noexcept { return sizeof(Bell); }
  // Lines and takings are those from and of `rank`.
  [[nodiscard]] constexpr std::size_t lines_at(int rank) const noexcept {
    return meeting_at() + sizeof(Meeting) + static_cast<std::size_t>(rank) * lines_ * sizeof(Line);
  }
  [[nodiscard]] constexpr std::size_t taken_at(int rank) const noexcept {
    return lines_at(ranks()) + static_cast<std::size_t>(rank) * sizeof(Taken);
  }
  [[nodiscard]] constexpr std::size_t cells_at() const noexcept {
    return (taken_at(ranks()) + page - 1) / page * page;
  }

 private:
  static constexpr std::size_t page = 4096;

  std::size_t ranks_;
  std::size_t lines_;
};

// The memory, where this process sees it.
class View {
 public:
  View(std::byte* base, Layout layout) noexcept : base_(base), layout_(layout) {}

  [[nodiscard]] int ranks() const noexcept { return layout_.ranks(); }
  [[nodiscard]] std::size_t lines() const noexcept { return layout_.lines(); }
  [[nodiscard]] Bell& bell(int rank) const noexcept { return at<Bell>(rank, 0); }
  [[nodiscard]] Meeting& meeting() const noexcept { return at<Meeting>(0, Layout::meeting_at()); }
  [[nodiscard]] Line& line(int from, int to, std::uint32_t sequence) const noexcept {
    return (&at<Line>(to, layout_.lines_at(from)))[sequence % layout_.lines()];
  }
  // How many lines from `from` the rank `to` has taken.
  [[nodiscard]] Taken& taken(int from, int to) const noexcept {
    return at<Taken>(to, layout_.taken_at(from));
  }
  [[nodiscard]] InPlace& in_place(int from, int to, std::uint32_t sequence) const noexcept {
    return *reinterpret_cast<InPlace*>(line(from, to, sequence).data);
  }
  // In the cells of a rank, so many bytes from the beginning of the first.
  [[nodiscard]] std::byte* in_cells(int owner, std::uint64_t where) const noexcept {
    return &at<std::byte>(owner, layout_.cells_at() + where);
  }

 private:
  template <typename T>
  [[nodiscard]] T& at(int rank, std::size_t offset) const noexcept {
    return *reinterpret_cast<T*>(base_ + static_cast<std::size_t>(rank) * layout_.area_bytes() +
                                 offset);
  }

  std::byte* base_;
  Layout layout_;
};

}  // namespace roundelay::shared
