// SPDX-License-Identifier: Apache-2.0
// What the allgathers that double what they have in every step have in common.
#pragma once

#include <algorithm>
#include <bit>

namespace roundelay {

// One step of one of n ranks: `count` parts from number `sent` on (modulo n) go to rank `to`; as
// many from number `received` on come from rank `from`.
struct DoublingStep {
  int to;
  int from;
  int sent;
  int received;
  int count;
};

// The step over distance d = 1, 2, 4, .. below n of rank r, which has d parts by then. Where n is a
// power of two, partners exchange aligned subtrees; elsewhere it is Bruck's, from ahead.
constexpr DoublingStep doubling_step(int r, int n, int d) noexcept {
  if (std::has_single_bit(static_cast<unsigned>(n))) {
    const int other = r ^ d;
    return {other, other, r & ~(d - 1), other & ~(d - 1), d};
  }
  return {(r - d + n) % n, (r + d) % n, r, (r + d) % n, std::min(d, n - d)};
}

// One that never has the same partner in the same step but for the last of a power of two. There
// the partners are the co-pairs of Tipparaju and Nieplocha: the aligned subtrees, shifted so that
// what a rank has is the cyclic interval around it. Elsewhere it is Bruck's, from behind.
constexpr DoublingStep opposite_doubling_step(int r, int n, int d) noexcept {
  if (std::has_single_bit(static_cast<unsigned>(n))) {
    const int begin = (r - (~r & (d - 1)) + n) % n;
    const int shift = (r & d) != 0 ? d : n - d;
    return {(r + shift) % n, (r + shift) % n, begin, (begin + shift) % n, d};
  }
  const int count = std::min(d, n - d);
  const int begin = (r - count + 1 + n) % n;
  return {(r + d) % n, (r - d + n) % n, begin, (begin - d + n) % n, count};
}

}  // namespace roundelay
