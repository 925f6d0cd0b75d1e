// SPDX-License-Identifier: Apache-2.0
// The end of what takes long.
#pragma once

#include <exception>
#include <stop_token>
#include <utility>

namespace roundelay::interpret {

// Whoever wanted to know no longer does.
class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

// While it lives, what the calling thread runs to choose an algorithm can be stopped. Only tools
// have one: where a program calls a collective, all ranks have to come to the same end.
class Stoppable {
 public:
  explicit Stoppable(std::stop_token stop)
      : stop_(std::move(stop)), before_(std::exchange(of_thread, this)) {}
  Stoppable(const Stoppable&) = delete;
  Stoppable& operator=(const Stoppable&) = delete;
  ~Stoppable() { of_thread = before_; }

  // Throws Stopped if it is to stop.
  static void check() {
    if (of_thread != nullptr && of_thread->stop_.stop_requested()) throw Stopped();
  }

 private:
  static inline constinit thread_local const Stoppable* of_thread = nullptr;

  std::stop_token stop_;
  const Stoppable* before_;
};

}  // namespace roundelay::interpret
