// SPDX-License-Identifier: Apache-2.0
#include "shared/receives.hpp"

#include <algorithm>
#include <iterator>

namespace roundelay::shared {

void Receives::start(Message& message) {
  started_.push_back(&message);
  // Not if an earlier one waits for more: what was put aside for their tag is for that one.
  if (next(message.tag) != &message) return;
  for (auto piece = aside_.begin(); piece != aside_.end() && !message.done;) {
    if (piece->tag != message.tag) {
      ++piece;
      continue;
    }
    message.take(piece->bytes.data(), piece->bytes.size());
    message.failed = message.failed || piece->failed;
    if (piece->last) finish(message);
    piece = let_go(piece);
  }
}

Receives::Position Receives::let_go(Position piece) noexcept {
  if (empty_.size() >= kept_pieces || piece->bytes.capacity() > kept_bytes) {
    return aside_.erase(piece);
  }
  const Position next = std::next(piece);
  empty_.splice(empty_.begin(), aside_, piece);
  return next;
}

Message* Receives::next(Tag tag) noexcept {
  const auto found = std::ranges::find(started_, tag, &Message::tag);
  return found != started_.end() ? *found : nullptr;
}

void Receives::finish(Message& message) noexcept {
  message.done = true;
  withdraw(message);
}

}  // namespace roundelay::shared
