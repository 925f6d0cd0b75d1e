// SPDX-License-Identifier: Apache-2.0
// At which calls of a communicator its ranks look after what is under way there, and reconsider
// what they have decided. All ranks count alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "choose/learner.hpp"

namespace roundelay::preload {

// What all ranks of a communicator know alike.
struct Attention {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  std::int64_t calls = 0;   // so far
  std::int64_t at = never;  // the call at which they next look after what is under way
  // Seconds of the longest search for what may be faster. Until there was one it counts as if it
  // took as long as calls that are not worth learning.
  double search = choose::Learner::least_total;

  void within(std::int64_t more_calls) noexcept { at = std::min(at, calls + more_calls); }
};

// They reconsider after 16, 32, 64 calls and so on, after the first long call in the next ones,
// each time twice as many, and when they expect that it is time.
class Reconsidering {
 public:
  static constexpr std::int64_t first_after = 16;

  // Whether the ranks look after something in this call. Every rank comes here with every call that
  // waits, whatever a thread of it has to learn.
  [[nodiscard]] bool one_more_call() noexcept { return ++attention_.calls == attention_.at; }
  // Of the call of which one_more_call() said so, before anything else asks for attention: whether
  // they also reconsider.
  [[nodiscard]] bool is_due() noexcept {
    attention_.at = at_;
    return attention_.calls == at_;
  }
  // A call that does not wait. After many of these the ranks reconsider in the next one that does.
  void one_more_later() noexcept {
    if (++later_calls_ >= calls_until_now_) in_next_call();
  }
  // From the first long call on, calls count anew: those until now may have been much shorter.
  void begin_long_calls() noexcept {
    count_from_now(1);
    in_next_call();
  }

  // All is decided anew. `goes_on`: something may change later.
  void begin(bool goes_on) noexcept {
    count_from_now(first_after);
    plan(goes_on, calls_until_now_);
  }
  // The ranks have reconsidered, and expect that it is time again after so many calls; 0: they
  // expect nothing.
  void plan_next(bool goes_on, std::uint64_t expected) noexcept {
    calls_until_now_ = std::max(attention_.calls - counted_from_, least_calls_);
    later_calls_ = 0;
    const auto calls = static_cast<std::int64_t>(expected);
    plan(goes_on, calls > 0 ? std::min(calls, calls_until_now_) : calls_until_now_);
  }

  [[nodiscard]] std::int64_t calls() const noexcept { return attention_.calls; }
  [[nodiscard]] Attention& attention() noexcept { return attention_; }

 private:
  void count_from_now(std::int64_t least_calls) noexcept {
    counted_from_ = attention_.calls;
    least_calls_ = least_calls;
    calls_until_now_ = least_calls;
  }
  void plan(bool goes_on, std::int64_t more_calls) noexcept {
    at_ = goes_on ? attention_.calls + more_calls : Attention::never;
    attention_.at = at_;
  }
  void in_next_call() noexcept {
    attention_.within(1);
    at_ = attention_.at;
  }

  Attention attention_;
  std::int64_t at_ = Attention::never;
  std::int64_t counted_from_ = 0;           // calls before these do not count
  std::int64_t least_calls_ = first_after;  // from one time to the next
  // That were counted when the ranks last reconsidered, or first will.
  std::int64_t calls_until_now_ = first_after;
  std::int64_t later_calls_ = 0;  // calls that did not wait, since then
};

}  // namespace roundelay::preload
