// SPDX-License-Identifier: Apache-2.0
// The tournament by the circle method (Kirkman 1847): for an even p, p - 1 rounds in which all meet
// somebody; for an odd p, p rounds, each without one rank.
#pragma once

namespace roundelay {

constexpr int tournament_rounds(int p) noexcept { return p % 2 == 0 ? p - 1 : p; }

// Whom rank r of p meets in round k; itself: nobody. The ranks below the odd n meet by i + j = k
// modulo n, and who would so meet itself meets rank n.
constexpr int tournament_opponent(int r, int k, int p) noexcept {
  const int n = tournament_rounds(p);
  const int alone = k % 2 == 0 ? k / 2 : (k + n) / 2;
  if (r == n) return alone;
  if (r == alone) return n < p ? n : r;
  return k >= r ? k - r : k - r + n;
}

}  // namespace roundelay
