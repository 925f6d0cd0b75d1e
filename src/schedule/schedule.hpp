// SPDX-License-Identifier: Apache-2.0
// Schedule: a coroutine that yields the communication rounds of one rank.
//
//   Schedule ring(Group g, Blocks out) {
//     for (int step = 0; step + 1 < g.size; ++step)
//       co_yield round(send(out[g.rank - step], g.right()),
//                      recv(out[g.rank - step - 1], g.left()));
//   }
//
// Control flow depends on nothing but rank, size, lengths and parameters, never on data: so every
// interpreter may run ahead. A schedule composes: co_yield all(ring(..)) yields another's rounds.
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

#include "schedule/frame_pool.hpp"
#include "schedule/round.hpp"

namespace roundelay {

class [[nodiscard]] Schedule {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  // What `co_yield all(..)` suspends on: runs the nested schedule in place of its caller.
  struct Nested {
    Handle inner;

    [[nodiscard]] bool await_ready() const noexcept { return inner.done(); }
    [[nodiscard]] inline Handle await_suspend(Handle caller) const noexcept;
    void await_resume() const noexcept {}
  };

  struct Finished {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] inline std::coroutine_handle<> await_suspend(Handle self) const noexcept;
    void await_resume() const noexcept {}
  };

  struct promise_type {
    Round current;
    promise_type* root = this;  // the outermost schedule's promise
    Handle leaf;                // of the root: who yields next
    Handle caller;              // of a nested schedule: who goes on when it ends

    Schedule get_return_object() noexcept {
      leaf = Handle::from_promise(*this);
      return Schedule(leaf);
    }
    [[nodiscard]] static std::suspend_always initial_suspend() noexcept { return {}; }
    [[nodiscard]] static Finished final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() { throw; }

    // Anything with a view() as a Round; the referent lives in the frame until it is resumed.
    template <typename AnyRound>
    std::suspend_always yield_value(const AnyRound& round) {
      root->current = round.view();
      return {};
    }
    static Nested yield_value(const Nested& nested) noexcept { return nested; }

    static void* operator new(std::size_t size) { return FramePool::allocate(size); }
    static void operator delete(void* frame, std::size_t size) noexcept {
      FramePool::release(frame, size);
    }
  };

  Schedule(Schedule&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Schedule& operator=(Schedule&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  ~Schedule() {
    if (handle_) handle_.destroy();
  }

  // Runs to the next round; false if there is none.
  bool next() {
    handle_.promise().leaf.resume();
    return !handle_.done();
  }
  // The round last run to; valid until next() is called again.
  [[nodiscard]] const Round& round() const noexcept { return handle_.promise().current; }

 private:
  explicit Schedule(Handle handle) noexcept : handle_(handle) {}
  friend Nested all(Schedule&& schedule) noexcept;

  Handle handle_;
};

// All rounds of another schedule, at this place. The temporary lives until they are over.
inline Schedule::Nested all(Schedule&& schedule) noexcept { return {schedule.handle_}; }

inline Schedule::Handle Schedule::Nested::await_suspend(Handle caller) const noexcept {
  promise_type& mine = inner.promise();
  mine.root = caller.promise().root;
  mine.caller = caller;
  mine.root->leaf = inner;
  return inner;
}

inline std::coroutine_handle<> Schedule::Finished::await_suspend(Handle self) const noexcept {
  const promise_type& mine = self.promise();
  if (!mine.caller) return std::noop_coroutine();
  mine.root->leaf = mine.caller;
  return mine.caller;
}

}  // namespace roundelay
