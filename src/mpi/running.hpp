// SPDX-License-Identifier: Apache-2.0
// A collective in progress.
#pragma once

#include <mpi.h>

#include <coroutine>
#include <cstddef>
#include <utility>

#include "mpi/executor.hpp"
#include "schedule/frame_pool.hpp"

namespace roundelay::mpi {

// Awaited by a Running at the end of a run, with the run's error: whether there is one more.
struct Again {
  int error;
};
[[nodiscard]] inline Again again(int error) noexcept { return {error}; }

// A coroutine that packs, awaits work on the network and unpacks. All that the call needs until
// its end is in its frame. Work is what has
//   Executor& executor() const;
//   int run() const;    to its end; returns an MPI error code
//   int start() const;  starts it on the executor, does not wait
//
//   Running begin_bcast(..) {
//     .. pack ..
//     int error = co_await call.run(m);
//     .. unpack ..
//     co_return error;
//   }
//
// What the program may start again and again goes on where it awaits that:
//
//   int error = MPI_SUCCESS;
//   do {
//     .. pack, await, unpack ..
//   } while (co_await again(error));
//   co_return error;
//
// The ranks of a communicator start those that they have in common in the same order. After that
// each rank may progress and end them in any order. One thread at a time may use those of a
// communicator. The user's buffers must stay as MPI says of a call that is not complete.
class [[nodiscard]] Running {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Running(Running&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  Running& operator=(Running&&) = delete;
  // One that is in progress is given up: nothing is received any more.
  ~Running();

  // Starts it, if it is new, and goes on as far as it can without waiting. Returns whether it is
  // over. Throws std::bad_alloc; then it can only be destroyed.
  bool progress();
  // To its end, from the beginning or from where it is. Returns an MPI error code; no error handler
  // has been called. Throws as progress() does.
  int wait();
  // The same of one that is over.
  [[nodiscard]] int error() const noexcept;
  // All the same for one run after the other: before the first, and before each of the others. One
  // that failed is over for good.
  void repeat() noexcept;
  void begin_again() noexcept;

 private:
  explicit Running(Handle handle) noexcept : handle_(handle) {}
  void go_on(int error);
  [[nodiscard]] bool over() const noexcept;

  Handle handle_;
};

struct Running::promise_type {
  Executor* executor = nullptr;  // that it waits for
  bool blocks = false;           // it may wait where it is
  bool repeats = false;          // there is a run after each that does not fail
  bool between_runs = false;
  int error = MPI_SUCCESS;  // of the work that it awaited; in the end, of all

  Running get_return_object() noexcept { return Running(Handle::from_promise(*this)); }
  [[nodiscard]] static std::suspend_always initial_suspend() noexcept { return {}; }
  [[nodiscard]] static std::suspend_always final_suspend() noexcept { return {}; }
  void return_value(int all) noexcept { error = all; }
  [[noreturn]] void unhandled_exception() {
    error = MPI_ERR_INTERN;
    throw;
  }

  template <typename Work>
  struct Awaited {
    Work work;
    promise_type& promise;

    [[nodiscard]] static bool await_ready() noexcept { return false; }
    [[nodiscard]] bool await_suspend(Handle /*self*/) const {
      promise.error = promise.blocks ? work.run() : work.start();
      if (promise.blocks || promise.error != MPI_SUCCESS || work.executor().over()) return false;
      promise.executor = &work.executor();
      return true;
    }
    [[nodiscard]] int await_resume() const noexcept { return promise.error; }
  };
  template <typename Work>
  Awaited<Work> await_transform(const Work& work) noexcept {
    return {work, *this};
  }

  struct AwaitedRun {
    promise_type& promise;

    [[nodiscard]] bool await_ready() const noexcept {
      return !promise.repeats || promise.error != MPI_SUCCESS;
    }
    void await_suspend(Handle /*self*/) const noexcept { promise.between_runs = true; }
    [[nodiscard]] bool await_resume() const noexcept { return !await_ready(); }
  };
  AwaitedRun await_transform(Again run) noexcept {
    error = run.error;
    return {*this};
  }

  static void* operator new(std::size_t size) { return FramePool::allocate(size); }
  static void operator delete(void* frame, std::size_t size) noexcept {
    FramePool::release(frame, size);
  }
};

inline void Running::repeat() noexcept { handle_.promise().repeats = true; }
inline void Running::begin_again() noexcept { handle_.promise().between_runs = false; }
inline int Running::error() const noexcept { return handle_.promise().error; }
inline bool Running::over() const noexcept {
  return handle_.done() || handle_.promise().between_runs;
}

}  // namespace roundelay::mpi
