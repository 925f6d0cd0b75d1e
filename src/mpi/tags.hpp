// SPDX-License-Identifier: Apache-2.0
// Which messages are of which call.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "algorithms/collectives.hpp"
#include "shared/layout.hpp"

namespace roundelay::mpi {

// Of the calls on one communicator: two tags for each, in turn, the same on all ranks. Blocking
// calls have separate tags for each collective. If a call is invalid on some ranks, only later
// calls of that collective are out of step, as in the MPI libraries. Pending calls, and those that
// this library makes itself, have tags of their own.
class Tags {
 public:
  // `largest`: tag that the MPI library has, the same on all ranks: at least what MPI promises.
  explicit Tags(int largest = promised) noexcept
      : most_apart_((std::min(largest, most) + 1 - first_pending) / 4) {}

  // Of one more call. At most in_turn calls of a collective may be in progress.
  [[nodiscard]] int of_next_call(Collective collective) noexcept {
    if (apart_ != nowhere) return std::exchange(apart_, nowhere);
    const auto kind = static_cast<std::size_t>(collective);
    return first + 2 * (static_cast<int>(kind) * in_turn + turn(calls_[kind], in_turn));
  }
  // The next call is one that goes on while the program makes others; up to most_apart() may be in
  // progress. Returns its tags.
  int pending_next() noexcept { return apart_ = first_pending + apart(pending_++); }
  // How many of these there were.
  [[nodiscard]] std::uint64_t pending() const noexcept { return pending_; }
  // Of one more call that the program may start again and again: its runs have the same tags, since
  // a rank starts one when the last is over. Only most_apart() calls have tags of their own: of
  // calls with the same ones, one may be in progress.
  int persistent_next() noexcept { return first_pending + 2 * most_apart_ + apart(persistent_++); }
  // Whether each of them has tags of its own.
  [[nodiscard]] bool persistent_are_apart() const noexcept { return persistent_ <= most_apart(); }
  // The next call gets these tags. take_none_next() cancels take_next().
  void take_next(int tags) noexcept { apart_ = tags; }
  void take_none_next() noexcept { apart_ = nowhere; }
  // The next call is one that this library makes beside those of the program; up to in_turn may be
  // in progress.
  void beside_next() noexcept { apart_ = first_beside + 2 * turn(beside_, in_turn); }

  [[nodiscard]] std::uint64_t most_apart() const noexcept {
    return static_cast<std::uint64_t>(most_apart_);
  }

  static constexpr int promised = 32767;  // by MPI
  static constexpr int most = shared::largest_tag;
  static constexpr int in_turn = 64;

 private:
  static constexpr int nowhere = -1;
  static constexpr std::size_t kinds = collectives.size();
  static constexpr int first = 16;  // lower ones are for other messages
  static constexpr int first_beside = first + 2 * in_turn * static_cast<int>(kinds);
  static constexpr int first_pending = first_beside + 2 * in_turn;
  static_assert(first_pending < promised / 2);

  [[nodiscard]] int apart(std::uint64_t number) const noexcept {
    return 2 * static_cast<int>(number % most_apart());
  }

  static int turn(int& next, int of) noexcept {
    const int now = next;
    next = now + 1 == of ? 0 : now + 1;
    return now;
  }

  int most_apart_;
  std::array<int, kinds> calls_{};
  std::uint64_t pending_ = 0;
  std::uint64_t persistent_ = 0;
  int beside_ = 0;
  int apart_ = nowhere;  // what the next call gets instead
};

}  // namespace roundelay::mpi
