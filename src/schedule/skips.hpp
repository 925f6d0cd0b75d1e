// SPDX-License-Identifier: Apache-2.0
// The circulant graphs of the algorithms: in round k every rank r talks to the ranks r - skip[k]
// and r + skip[k] (modulo p).
#pragma once

#include <bit>

namespace roundelay {

// skip[0] = 1 < .. < skip[q] = p and skip[k + 1] <= 2 skip[k]: what a rank has collected from
// skip[k] ranks can come from skip[k + 1] ranks after one more round. q = ceil(log2 p) is the
// least.
class Skips {
 public:
  // p = 6: 1, 2, 4, 6. Bruck's: powers of two, only the last round moves less than it could.
  static constexpr Skips doubling(int p) noexcept { return {p, p, false}; }
  // p = 6: 1, 2, 3, 6. Traff's: p halved and rounded up again and again.
  static constexpr Skips halving(int p) noexcept { return {p, p, true}; }
  // p = 6: 1, 2, 4, 6. Without p / 2, over which ranks would send to whom they receive from; where
  // p is a power of two that takes one round more. For p > 4: 2 and 4 have no others.
  static constexpr Skips unpaired(int p) noexcept {
    return {p, p % 2 == 0 && p > 4 ? p / 2 + 1 : p, true};
  }

  [[nodiscard]] constexpr int rounds() const noexcept { return q_ + (halved_ < p_ ? 1 : 0); }
  [[nodiscard]] constexpr int operator[](int k) const noexcept {
    if (k > q_) return p_;
    if (!halving_) return k < q_ ? 1 << k : p_;
    const int halvings = q_ - k;
    return ((halved_ - 1) >> halvings) + 1;
  }

 private:
  constexpr Skips(int p, int halved, bool halving) noexcept
      : p_(p),
        halved_(halved),
        q_(std::bit_width(static_cast<unsigned>(halved - 1))),
        halving_(halving) {}

  int p_;
  int halved_;  // p, or the greatest skip below it
  int q_;       // of the halvings
  bool halving_;
};

}  // namespace roundelay
