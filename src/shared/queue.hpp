// SPDX-License-Identifier: Apache-2.0
// First come, first served, in memory that is kept: a std::deque takes more from the system every
// now and then, however short it is.
#pragma once

#include <cstddef>
#include <vector>

namespace roundelay::shared {

template <typename Thing>
class Queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == all_.size(); }
  [[nodiscard]] Thing& front() noexcept { return all_[first_]; }
  // Throws std::bad_alloc.
  void push_back(const Thing& thing) { all_.push_back(thing); }
  void pop_front() noexcept {
    if (2 * ++first_ >= all_.size()) close_up();
  }
  void erase(const Thing& thing) noexcept {
    close_up();
    std::erase(all_, thing);
  }

 private:
  void close_up() noexcept {
    all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

  std::vector<Thing> all_;
  std::size_t first_ = 0;
};

}  // namespace roundelay::shared
