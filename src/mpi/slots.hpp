// SPDX-License-Identifier: Apache-2.0
// What a transport keeps of its transfers that are under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "mpi/scratch.hpp"

namespace roundelay::mpi {

// Memory for one message at a time, kept for later ones.
class Staging {
 public:
  // At least so many bytes. They stay until forget(). Throws std::bad_alloc.
  std::byte* get(std::int64_t bytes, Scratch& from) {
    if (size_ < bytes) {
      memory_ = from.get(bytes);
      size_ = bytes;
    }
    return memory_;
  }
  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }
  // The scratch memory is free again.
  void forget() noexcept { size_ = 0; }

 private:
  std::byte* memory_ = nullptr;
  std::int64_t size_ = 0;
};

// Slots by number. `Container`: where they are, a sequence.
template <typename Container>
class Slots {
 public:
  using Slot = typename Container::value_type;

  // One that no transfer has, as the last one left it. Throws std::bad_alloc.
  std::uint32_t take() {
    if (free_.empty()) {
      // Room for all of them, so that giving one back cannot fail.
      if (free_.capacity() <= all_.size()) free_.reserve(2 * all_.size() + 8);
      all_.emplace_back();
      return static_cast<std::uint32_t>(all_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) noexcept { free_.push_back(slot); }  // there is room
  void give_all_back() noexcept {
    free_.resize(all_.size());  // there is room
    std::iota(free_.begin(), free_.end(), std::uint32_t{0});
  }
  [[nodiscard]] Slot& operator[](std::uint32_t slot) noexcept { return all_[slot]; }
  // All that there ever were.
  [[nodiscard]] Container& all() noexcept { return all_; }

 private:
  Container all_;
  std::vector<std::uint32_t> free_;
};

}  // namespace roundelay::mpi
