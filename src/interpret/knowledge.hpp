// SPDX-License-Identifier: Apache-2.0
// Who knows that who has entered a barrier.
#pragma once

#include <optional>
#include <vector>

#include "interpret/lockstep.hpp"

namespace roundelay::interpret {

class Knowledge {
 public:
  // p = 0: nobody asks.
  explicit Knowledge(int p) : p_(static_cast<std::size_t>(p)), known_(p_ * p_), arriving_(p_ * p_) {
    for (std::size_t rank = 0; rank < p_; ++rank) known_[rank * p_ + rank] = true;
  }

  // The receiver will know, after its round, what the sender knew before its own.
  void tell(const Posted& send, const Posted& receive) {
    if (p_ == 0) return;
    if (send.deferred != nullptr || receive.deferred != nullptr) {
      throw Broken(send.rank, send.round, "a token must not be deferred");
    }
    spread(known_, static_cast<std::size_t>(send.rank), arriving_,
           static_cast<std::size_t>(receive.rank));
  }

  // The rank's round is over.
  void settle(int rank) {
    spread(arriving_, static_cast<std::size_t>(rank), known_, static_cast<std::size_t>(rank));
  }

  [[nodiscard]] bool knows(int rank, int other) const {
    return known_[static_cast<std::size_t>(rank) * p_ + static_cast<std::size_t>(other)];
  }

  // The first rank that this one knows nothing of.
  [[nodiscard]] std::optional<int> missing(int rank) const {
    for (int other = 0; other < static_cast<int>(p_); ++other) {
      if (!knows(rank, other)) return other;
    }
    return std::nullopt;
  }

 private:
  void spread(const std::vector<bool>& from, std::size_t giver, std::vector<bool>& into,
              std::size_t taker) const {
    for (std::size_t other = 0; other < p_; ++other) {
      if (from[giver * p_ + other]) into[taker * p_ + other] = true;
    }
  }

  std::size_t p_;
  std::vector<bool> known_;  // a row per rank
  std::vector<bool> arriving_;
};

}  // namespace roundelay::interpret
