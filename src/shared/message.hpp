// SPDX-License-Identifier: Apache-2.0
// One side of a message that goes through shared memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/block.hpp"
#include "shared/layout.hpp"

namespace roundelay::shared {

// As many of the bytes as whole elements of `grain` bytes take; all, if an element is longer: then
// it is cut.
constexpr std::size_t whole_grains(std::size_t bytes, std::size_t grain) noexcept {
  const std::size_t whole = bytes / grain * grain;
  return whole > 0 ? whole : bytes;
}

class Message {
 public:
  int peer = 0;  // its rank on the node
  Tag tag = 0;
  bool sends = false;
  bool waits_for_receiver = false;  // a send is done only when all has been taken
  std::size_t grain = 1;            // bytes; pieces are whole multiples where they can be
  Block* block = nullptr;           // of a send, if it is one of several of the same bytes

  bool done = false;
  bool failed = false;  // something did not come; then it is done, too

  // Of a send: bytes that have not been given, the next of them as far as they are in a row, and a
  // copy of the next `size`.
  [[nodiscard]] virtual std::size_t left() const = 0;
  [[nodiscard]] virtual std::span<const std::byte> in_a_row() const = 0;
  virtual void give(std::byte* to, std::size_t size) = 0;
  // The next `size` bytes are given otherwise.
  virtual void skip(std::size_t size) = 0;

  // Of a receive: where the next bytes may be written, as far as that is in a row, before skip();
  // empty if take() has to see them. And: here are the next `size` bytes.
  [[nodiscard]] virtual std::span<std::byte> room() = 0;
  virtual void take(const std::byte* from, std::size_t size) = 0;

 protected:
  Message() = default;
  Message(const Message&) = default;
  Message& operator=(const Message&) = default;
  ~Message() = default;

 private:
  friend class Block;
  friend class Port;

  // Of a send: the part of its block with its next byte that is in a cell already, or nullptr; and
  // how many bytes are before the next such part, and the next of them as far as they are in a row.
  [[nodiscard]] Block::Held* held() const noexcept {
    return block == nullptr ? nullptr : block->held_at(written_);
  }
  [[nodiscard]] std::size_t before_next_held() const noexcept {
    return block == nullptr ? Block::no_limit : block->before_next_held(written_);
  }
  [[nodiscard]] std::span<const std::byte> row_before_next_held() const {
    const auto row = in_a_row();
    return row.first(std::min(row.size(), before_next_held()));
  }
  // How many sends of its block, or this one alone, have bytes before `end` to be written.
  [[nodiscard]] std::size_t readers_before(std::size_t end) const noexcept {
    return block == nullptr ? 1 : block->readers_before(end);
  }

  std::uint32_t first_line_ = 0;  // of a send: that of its first piece, and of its last
  std::uint32_t last_line_ = 0;
  std::size_t written_ = 0;  // of a send: bytes
};

}  // namespace roundelay::shared
