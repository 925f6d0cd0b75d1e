// SPDX-License-Identifier: Apache-2.0
// The paper's search for what a rank receives, and when there is no need for it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "schedule/circulant.hpp"

namespace roundelay {

constexpr int find_base(Skips skip, int v) noexcept {
  int k = skip.rounds();
  if (v == 0) return k;
  for (;;) {
    const int s = skip[--k];
    if (v == s) return k;
    v -= v > s ? s : 0;
  }
}

// The paper's algorithms 4 and 5, without recursion, for rank w of the graph of skip[j] ranks and
// rounds 0 .. last. Sets of skip indices are bits. An entry is the last index of the path that was
// found for its round, j if it stands for the base block.
constexpr void search(Skips skip, int j, int w, int last, CirculantEntries& found) noexcept {
  using Set = std::uint64_t;
  const std::int64_t t = std::int64_t{skip[j]} + w;
  const int base = w == 0 ? j : find_base(skip, w);
  Set unused = ((Set{2} << j) - 1) & ~(Set{1} << base);
  Set path = 0;
  Set below = unused | Set{1} << j;  // the candidates; the search begins with j in any case
  std::int64_t position = 0;         // of the path: the sum of its skips
  std::int64_t previous = std::numeric_limits<std::int64_t>::max();  // the position last accepted
  for (int k = 0; k <= last; ++k) {
    const std::int64_t least = t - skip[k + 1];  // the sought position lies beyond
    const std::int64_t most = std::min(t - skip[k], previous - 1);
    int e = -1;
    if (position <= least) {
      while (below != 0) {
        const int candidate = std::bit_width(below) - 1;
        below &= ~(Set{1} << candidate);
        const std::int64_t next = position + skip[candidate];
        if (next > most) continue;
        if (next > least) {
          e = candidate;
          break;
        }
        path |= Set{1} << candidate;
        position = next;
      }
    }
    if (e < 0) {  // the shortest part of the path that still lies there
      do {
        e = std::countr_zero(path);
        path &= path - 1;
        position -= skip[e];
      } while (position > least);
    }
    found[static_cast<std::size_t>(k)] = static_cast<std::int8_t>(e);
    previous = position + skip[e];
    unused &= ~(Set{1} << e);
    below = unused & ((Set{1} << e) - 1);
  }
}

// Whether rank w receives in the graph of skip[to] ranks what it receives in that of skip[from],
// and in the rounds between "their own": k in round k. See docs/explanation/circulant.md for the
// proof.
constexpr bool lifts(Skips skip, int from, int to, std::int64_t w) noexcept {
  if (w >= to) return true;
  int odd = 0;
  for (int k = to - 1; k >= 0 && skip[k] > w; --k) {
    if (k < from && odd == 0) return true;
    odd += skip[k + 1] % 2;
    if (odd > w) return false;
  }
  return true;
}

}  // namespace roundelay
