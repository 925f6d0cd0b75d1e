// SPDX-License-Identifier: Apache-2.0
#include "shared/block.hpp"

#include <algorithm>

#include "shared/message.hpp"

namespace roundelay::shared {

Block::Held* Block::held_at(std::size_t offset) noexcept {
  const auto found = std::ranges::find_if(
      held_, [offset](const Held& held) { return held.begin <= offset && offset < held.end; });
  return found == held_.end() ? nullptr : &*found;
}

std::size_t Block::before_next_held(std::size_t offset) const noexcept {
  std::size_t most = no_limit;
  for (const Held& held : held_) {
    if (held.begin > offset) most = std::min(most, held.begin - offset);
  }
  return most;
}

std::size_t Block::readers_before(std::size_t end) const noexcept {
  const auto is_beyond = [end](const Message* send) { return send->written_ >= end; };
  return unfinished_ - static_cast<std::size_t>(std::ranges::count_if(started_, is_beyond));
}

}  // namespace roundelay::shared
