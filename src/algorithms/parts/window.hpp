// SPDX-License-Identifier: Apache-2.0
// What the algorithms that have many transfers at once in flight have in common: a bound on how
// many. Who receives without one is flooded, and so is the network.
#pragma once

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
  [[nodiscard]] Fence due(int step) const noexcept { return static_cast<Fence>(1 + step % size_); }

 private:
  int size_;
};

// What it costs one rank to exchange a block with each other through a window.
inline Claims linear_claims(const Choice& choice) {
  return {.rounds = p() - 1, .volume = m() * (p() - 1) / p(), .ports = Window(choice).size()};
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
