// SPDX-License-Identifier: Apache-2.0
// At which call ranks begin to use memory that they share, where no rank may wait for another one.
//
// All ranks count the same calls, but one may be many calls ahead of another. Each signs as soon as
// it sees the memory. When all have signed, each looks at what they wrote and is ready. From then
// on it says of each call, before it does anything else, that it makes this call without the
// memory. The first rank that finds all others ready decides: they begin with a call that nobody
// has made yet. Then no rank is too late for it, because each one asks in every call.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace roundelay::shared {

// Of all its ranks, in the area of the first one. Memory that is all zero is the beginning.
class alignas(64) Meeting {
 public:
  void sign() noexcept { signed_.fetch_add(1, std::memory_order_release); }
  [[nodiscard]] bool all_signed(int ranks) const noexcept {
    return signed_.load(std::memory_order_acquire) == static_cast<std::uint32_t>(ranks);
  }

  // This rank makes `call` without the memory, and asks has_begun() in each later one. From so many
  // bytes on messages may be read in place (as InPlaceFrom): the most of all ranks counts.
  void be_ready(std::uint32_t call, std::uint64_t one_way, std::uint64_t both_ways) noexcept {
    raise(one_way_, one_way);
    raise(both_ways_, both_ways);
    raise(calls_, call);
    ready_.fetch_add(1, std::memory_order_release);
  }

  // Whether all ranks make `call` with the memory. If not, this rank makes it without.
  [[nodiscard]] bool has_begun(std::uint32_t call, int ranks) noexcept {
    const bool all = ready_.load(std::memory_order_acquire) == static_cast<std::uint32_t>(ranks);
    std::uint64_t calls = calls_.load(std::memory_order_acquire);
    for (;;) {
      if (const std::uint32_t first = first_with(calls); first != 0) return call >= first;
      const std::uint64_t first = std::max<std::uint64_t>(calls + 1, call);
      const std::uint64_t next = all ? first << 32U | calls : std::max<std::uint64_t>(calls, call);
      if (calls_.compare_exchange_weak(calls, next, std::memory_order_acq_rel)) {
        return all && first == call;
      }
    }
  }

  // Where it has begun.
  [[nodiscard]] std::uint64_t one_way() const noexcept { return one_way_; }
  [[nodiscard]] std::uint64_t both_ways() const noexcept { return both_ways_; }

 private:
  static constexpr std::uint32_t first_with(std::uint64_t calls) noexcept {
    return static_cast<std::uint32_t>(calls >> 32U);
  }
  static void raise(std::atomic<std::uint64_t>& number, std::uint64_t to) noexcept {
    std::uint64_t now = number.load(std::memory_order_relaxed);
    while (now < to && !number.compare_exchange_weak(now, to, std::memory_order_acq_rel)) {
    }
  }

  std::atomic<std::uint32_t> signed_;
  std::atomic<std::uint32_t> ready_;
  // In the lower half the latest call that a rank made without the memory; in the upper half the
  // first that all make with it, 0 until that is decided.
  std::atomic<std::uint64_t> calls_;
  std::atomic<std::uint64_t> one_way_;
  std::atomic<std::uint64_t> both_ways_;
};
static_assert(sizeof(Meeting) == 64);

}  // namespace roundelay::shared
