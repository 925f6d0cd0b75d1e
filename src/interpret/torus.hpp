// SPDX-License-Identifier: Apache-2.0
// A torus: which links a message passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace roundelay::interpret {

// Places are numbered along the first dimension, then along the second, and so on; each has a link
// to the next one and to the one before in every dimension.
class Torus {
 public:
  explicit Torus(std::vector<int> lengths) : lengths_(std::move(lengths)) {}

  [[nodiscard]] int places() const noexcept {
    int product = 1;
    for (const int length : lengths_) product *= length;
    return product;
  }
  // Of a place: upwards and downwards in the first dimension, then in the second, and so on.
  [[nodiscard]] std::size_t directions() const noexcept { return 2 * lengths_.size(); }

  // Calls `use` with the place and the direction of each link between two places: dimension after
  // dimension the shorter way, upwards where both are as long.
  template <typename Use>
  void for_each_link(int from, int to, const Use& use) const {
    int at = from;
    int stride = 1;
    for (std::size_t dimension = 0; dimension < lengths_.size(); ++dimension) {
      const int length = lengths_[dimension];
      int here = from / stride % length;
      const int above = (to / stride % length - here + length) % length;
      const bool up = 2 * above <= length;
      for (int left = up ? above : length - above; left > 0; --left) {
        use(at, 2 * dimension + (up ? 0 : 1));
        const int next = (here + (up ? 1 : length - 1)) % length;
        at += (next - here) * stride;
        here = next;
      }
      stride *= length;
    }
  }

  // How many links these are.
  [[nodiscard]] int hops(int from, int to) const noexcept {
    int count = 0;
    int stride = 1;
    for (const int length : lengths_) {
      const int above = (to / stride % length - from / stride % length + length) % length;
      count += std::min(above, length - above);
      stride *= length;
    }
    return count;
  }

 private:
  std::vector<int> lengths_;
};

}  // namespace roundelay::interpret
