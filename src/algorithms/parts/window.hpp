// SPDX-License-Identifier: Apache-2.0
// What the algorithms that have many transfers at once in flight have in common: a bound on how
// many. Who receives without one is flooded, and so is the network.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// Steps 1, 2, .. of which `size` are in flight at most: a step is deferred to the fence due(step),
// and if the window is full, that fence comes before it, as it is also that of the step `size`
// earlier.
class Window {
 public:
  // Of a choice whose first parameter is the throttle.
  explicit Window(const Choice& choice) : size_(static_cast<int>(choice.number(0))) {}
  explicit Window(const Problem& x) : Window(*x.choice) {}

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] bool full(int step) const noexcept { return step > size_; }
  // How often a rank waits for a message to have p - 1 of them over.
  [[nodiscard]] Formula turns() const { return ceil((p() - 1) / size_); }
  [[nodiscard]] Fence due(int step) const noexcept { return static_cast<Fence>(1 + step % size_); }

 private:
  int size_;
};

// Messages that are in flight together wait for each other at one end or the other: what could at
// worst take `at_most` times as long as in step takes a fifth more as a rule (simulated with 7 to
// 128 ranks).
inline double queued(double at_most, double as_a_rule = 1.2) {
  return std::max(0.0, at_most - as_a_rule);
}

// What it costs one rank to exchange a block with each other through a window.
inline Claims linear_claims(const Choice& choice) {
  const Window window(choice);
  const Formula volume = m() * (p() - 1) / p();
  return {.scratch = 0,
          .rounds = p() - 1,
          .volume = volume,
          .alpha = p() - 1,
          .beta = volume,
          .gamma = 0,
          .ports = window.size(),
          .overlapped = p() - 1 - window.turns()};
}

// The parameters of an algorithm with a window.
inline std::vector<Parameter> throttle() {
  return {{.name = "throttle",
           .summary = "how many messages may be in flight at once",
           .least = 1,
           .most = 1024,
           .standard = "128"}};
}

}  // namespace roundelay
