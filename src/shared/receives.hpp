// SPDX-License-Identifier: Apache-2.0
// Which started receive a piece from another rank is for.
//
// Pieces from a rank come in order, and say of which message they are by its tag: messages of one
// tag match in the order in which they are started on either side. A piece that no started receive
// is for is put aside, where one for another tag waits behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "shared/message.hpp"

namespace roundelay::shared {

// Those from one rank.
class Receives {
 public:
  // Takes what was put aside for it. Throws std::bad_alloc.
  void start(Message& message);
  // The next piece of this tag is for it; nullptr: for none that was started.
  [[nodiscard]] Message* next(Tag tag) noexcept;
  // It has got its last piece.
  void finish(Message& message) noexcept;
  void withdraw(Message& message) noexcept { std::erase(started_, &message); }

  struct Piece {
    Tag tag = 0;
    bool last = false;
    bool failed = false;  // its bytes did not come
    std::vector<std::byte> bytes;
  };
  // To be filled and put aside. Throws std::bad_alloc.
  [[nodiscard]] Piece& empty_piece() {
    if (empty_.empty()) empty_.emplace_back();
    empty_.front().failed = false;
    empty_.front().bytes.clear();
    return empty_.front();
  }
  void put_aside() noexcept { aside_.splice(aside_.end(), empty_, empty_.begin()); }

  // None is under way.
  [[nodiscard]] bool idle() const noexcept { return started_.empty(); }
  [[nodiscard]] bool any_aside() const noexcept { return !aside_.empty(); }

 private:
  using Position = std::list<Piece>::iterator;

  static constexpr std::size_t kept_pieces = 64;
  static constexpr std::size_t kept_bytes = 65536;  // of each

  // It was taken. Returns the next one.
  Position let_go(Position piece) noexcept;

  std::vector<Message*> started_;  // in order
  std::list<Piece> aside_;
  std::list<Piece> empty_;  // some, with memory that is not large
};

}  // namespace roundelay::shared
