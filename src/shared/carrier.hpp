// SPDX-License-Identifier: Apache-2.0
// What carries messages between ranks, piece by piece, without MPI's own messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/layout.hpp"
#include "shared/message.hpp"

namespace roundelay::shared {

// One thread at a time uses it.
class Carrier {
 public:
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  virtual ~Carrier() = default;

  // The message must stay where it is until it is done or withdrawn. Goes on with it as far as
  // possible. Throws std::bad_alloc.
  virtual void start(Message& message) = 0;
  // Goes on with all messages without waiting. Returns whether anything moved: then there may be
  // more to do, because what came free for one message lets another one go on. Throws
  // std::bad_alloc; then nothing is lost.
  virtual bool progress() = 0;
  // It is not under way any more, wherever it is.
  virtual void withdraw(Message& message) noexcept = 0;
  // Whether messages of one block share pieces; elsewhere none must have a block.
  [[nodiscard]] virtual bool shares_blocks() const noexcept { return false; }
  // One send of the block will not be started, or none of those that have not been.
  virtual void leave_out_one(Block& /*block*/) noexcept {}
  virtual void withdraw(Block& /*block*/) noexcept {}

  // A whole message, if that is possible at once.
  virtual bool put(int to, Tag tag, const std::byte* data, std::size_t bytes) noexcept = 0;
  // The same bytes to several, which have a copy in common; all of them or none.
  virtual bool put_to_all(std::span<const int> /*to*/, Tag /*tag*/, const std::byte* /*data*/,
                          std::size_t /*bytes*/) noexcept {
    return false;
  }
  // The other side of a message. otherwise: what has come has to be received by start().
  enum class Found : std::uint8_t { nothing, taken, otherwise };
  virtual Found take(int from, Tag tag, std::byte* into, std::size_t room) noexcept = 0;

  // Nothing is under way.
  [[nodiscard]] virtual bool idle() const noexcept = 0;

  // Sleeps until there may be something to do, for so many nanoseconds at most, if progress() moves
  // nothing any more and it is not `enough()`. Returns what enough() said.
  template <typename Enough>
  bool sleep_unless(const Enough& enough, long at_most = long_sleep) {
    const std::uint32_t heard = prepare_to_sleep();
    bool is_enough = false;
    try {
      do {
        is_enough = enough();
      } while (!is_enough && progress());
    } catch (...) {
      finish_sleep();
      throw;
    }
    if (!is_enough) sleep(heard, at_most);
    finish_sleep();
    return is_enough;
  }

  static constexpr long long_sleep = 1'000'000;
  // The system makes more of it, about 50 microseconds.
  static constexpr long short_sleep = 1;

 protected:
  Carrier() = default;

 private:
  // Whoever has something to say from now on wakes this rank, if anybody wakes it at all. Returns
  // what sleep() has to know.
  virtual std::uint32_t prepare_to_sleep() noexcept = 0;
  virtual void sleep(std::uint32_t heard, long at_most) noexcept = 0;
  virtual void finish_sleep() noexcept = 0;
};

}  // namespace roundelay::shared
