// SPDX-License-Identifier: Apache-2.0
// What the algorithms on circulant graphs have in common: in round k every rank r talks to the
// ranks r - skip[k] and r + skip[k] (modulo p).
#pragma once

#include <bit>

#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// skip[0] = 1 < .. < skip[q] = p with q = ceil(log2 p) and skip[k + 1] <= 2 skip[k]: what a rank
// has collected from skip[k] ranks can come from skip[k + 1] ranks after one more round.
class Skips {
 public:
  // p = 6: 1, 2, 4, 6. Bruck's: powers of two, only the last round moves less than it could.
  static Skips doubling(int p) noexcept { return {p, false}; }
  // p = 6: 1, 2, 3, 6. Traff's: p halved and rounded up again and again.
  static Skips halving(int p) noexcept { return {p, true}; }

  [[nodiscard]] int rounds() const noexcept { return q_; }
  [[nodiscard]] int operator[](int k) const noexcept {
    if (!halving_) return k < q_ ? 1 << k : p_;
    const int halvings = q_ - k;
    return ((p_ - 1) >> halvings) + 1;
  }

 private:
  Skips(int p, bool halving) noexcept
      : p_(p), q_(std::bit_width(static_cast<unsigned>(p - 1))), halving_(halving) {}

  int p_;
  int q_;
  bool halving_;
};

// allgather.bruck with any skips: one block per rank, the own one filled in at the start.
Schedule circulant_allgather(Group g, Blocks out, Skips skip);

}  // namespace roundelay
