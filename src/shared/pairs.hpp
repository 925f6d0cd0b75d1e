// SPDX-License-Identifier: Apache-2.0
// What there is between one rank and each of the others, and with whom something is under way.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace roundelay::shared {

// `Pair` has idle(): nothing is under way there.
template <typename Pair>
class Pairs {
 public:
  explicit Pairs(int ranks) : pairs_(static_cast<std::size_t>(ranks)) {
    active_.reserve(pairs_.size());
  }

  [[nodiscard]] Pair& operator[](int rank) noexcept {
    return pairs_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] const Pair& operator[](int rank) const noexcept {
    return pairs_[static_cast<std::size_t>(rank)];
  }

  // Something is under way with this rank, until progress() finds that it is over.
  void activate(int rank) noexcept {
    bool& active = pairs_[static_cast<std::size_t>(rank)].active;
    if (!std::exchange(active, true)) active_.push_back(rank);  // there is room
  }
  [[nodiscard]] const std::vector<int>& active() const noexcept { return active_; }

  // Calls advance(rank) for each rank with which something is under way.
  template <typename Advance>
  void progress(const Advance& advance) {
    for (std::size_t i = 0; i < active_.size();) {
      advance(active_[i]);
      Entry& pair = pairs_[static_cast<std::size_t>(active_[i])];
      if (pair.idle()) {
        pair.active = false;
        active_[i] = active_.back();
        active_.pop_back();
      } else {
        ++i;
      }
    }
  }

 private:
  struct Entry : Pair {
    bool active = false;
  };

  std::vector<Entry> pairs_;
  std::vector<int> active_;
};

}  // namespace roundelay::shared
