// SPDX-License-Identifier: Apache-2.0
// Several sends of the same bytes. They have cells in common: each part of the block is copied into
// a cell once, for all of them.
#pragma once

#include <cstddef>
#include <vector>

namespace roundelay::shared {

class Message;

class Block {
 public:
  // Before any of its sends is started. A block that is over, or was withdrawn, may begin again.
  void begin(std::size_t readers) noexcept { unfinished_ = readers; }
  // All its sends have been written.
  [[nodiscard]] bool over() const noexcept { return unfinished_ == 0; }

 private:
  friend class Message;
  friend class Port;
  // A part of it that is in a cell. All parts are apart.
  struct Held {
    std::size_t begin;
    std::size_t end;
    int cell;
    std::size_t readers;  // that have yet to be told
  };

  // The part with the byte at this offset, or nullptr.
  Held* held_at(std::size_t offset) noexcept;
  static constexpr std::size_t no_limit = ~std::size_t{0};
  // So many bytes follow the offset that are in no cell; no_limit after the last part.
  [[nodiscard]] std::size_t before_next_held(std::size_t offset) const noexcept;
  // How many sends have bytes before `end` to be written.
  [[nodiscard]] std::size_t readers_before(std::size_t end) const noexcept;

  std::size_t unfinished_ = 0;           // sends, also those that have not been started
  std::vector<const Message*> started_;  // of them
  std::vector<Held> held_;
};

}  // namespace roundelay::shared
