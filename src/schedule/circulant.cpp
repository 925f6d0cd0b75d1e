// SPDX-License-Identifier: Apache-2.0
// The graph of p ranks contains that of skip[k] ranks, whose skips are the first k of the same:
// ranks below skip[k] of the graph of skip[k + 1] ranks are one copy of it, those from skip[k] on
// another. What v receives follows from what its copy does, by the lifting of
// docs/explanation/circulant.md. This takes a few instructions for each k; where it does not hold,
// the paper's search takes its place.
#include "schedule/circulant.hpp"

#include <algorithm>
#include <cstddef>

#include "schedule/circulant_search.hpp"

namespace roundelay {
namespace {

using Index = std::size_t;

// All that is found in the graphs of up to 32 ranks, with which the lifting begins.
struct Small {
  static constexpr int rounds = 5;
  static constexpr int most = 1 << rounds;
  // [p - 1][v][k]; a row is as long as a word.
  std::int8_t found[most][most][8] = {};

  constexpr Small() noexcept {
    for (int p = 1; p <= most; ++p) {
      const Skips skip = Skips::halving(p);
      for (int v = 0; v < p; ++v) {
        CirculantEntries entries{};
        search(skip, skip.rounds(), v, skip.rounds() - 1, entries);
        std::copy_n(entries.begin(), skip.rounds(), found[p - 1][v]);
      }
    }
  }
};
constexpr Small small;

// Where v is while the copies become smaller: rank w of `size` ranks, which are a copy of the graph
// of skip[k] ranks or of its beginning, and whose base block stands for the block `base` in the
// whole.
struct Place {
  int w;
  std::int64_t size;
  int base;

  // Without branches, which would be mispredicted. `s` is the skip, `own` its block.
  constexpr void descend(int s, int own) noexcept {
    const bool upper = w >= s;
    base = upper ? own : base;
    w -= upper ? s : 0;
    size = upper ? size - s : std::min<std::int64_t>(size, s);
  }
};

constexpr void put(CirculantEntries& entries, int k, int value) noexcept {
  entries[static_cast<Index>(k)] = static_cast<std::int8_t>(value);
}

}  // namespace

int base_block(Skips skip, int v) noexcept { return find_base(skip, v); }

void receive_schedule(Skips skip, int v, CirculantEntries& receive) noexcept {
  const int q = skip.rounds();
  const int low = std::min(q, Small::rounds);
  Place at{.w = v, .size = skip[q], .base = find_base(skip, v)};
  for (int k = q - 1; k >= low; --k) {
    if (at.w <= k && !lifts(skip, k, k + 1, at.w)) {
      search(skip, k + 1, at.w, k, receive);
      for (int i = 0; i <= k; ++i) {
        const std::int8_t e = receive[static_cast<Index>(i)];
        put(receive, i, e == k + 1 ? at.base : e - q);
      }
      return;
    }
    const int s = skip[k];
    put(receive, k, at.w >= s ? at.base : k - q);
    at.descend(s, k - q);
  }
  const auto& found = small.found[skip[low] - 1][at.w];
  for (int k = 0; k < low; ++k) put(receive, k, found[k] == low ? at.base : found[k] - q);
}

int send_schedule(Skips skip, int v, CirculantEntries& send) noexcept {
  const int q = skip.rounds();
  const int low = std::min(q, Small::rounds);
  int searches = 0;
  if (v == 0) {
    for (int k = 0; k < q; ++k) put(send, k, k);
    return searches;
  }

  const int b = find_base(skip, v);
  Place at{.w = v, .size = skip[q], .base = b};
  // After these ranks come `room` others, a copy of the graph of skip[j] ranks or of its beginning.
  int j = q;
  std::int64_t room = skip[q];

  // Rarely, and told so that the processor can predict it.
  const auto unknown = [&](int from, std::int64_t beyond) {
    return beyond >= room || (static_cast<std::uint64_t>(beyond) < static_cast<std::uint64_t>(j) &&
                              !lifts(skip, from, j, beyond));
  };
  // The paper's algorithm 6 knows some more entries, and leaves at most four for a search.
  const auto sought = [&](int k, std::int64_t beyond) {
    const int s = skip[k];
    Place here = at;
    for (int i = low - 1; i > k; --i) here.descend(skip[i], i - q);
    if (here.w < s) {
      if (here.size < skip[k - 1] || (k == 1 && b > 0)) return here.base;
    } else if (k == 1 || here.w > s || here.size - s < skip[k - 1]) {
      return k - q;
    }
    ++searches;
    CirculantEntries found;
    if (beyond >= room) {
      const std::int64_t t = std::int64_t{v} + s;
      receive_schedule(skip, static_cast<int>(t < skip[q] ? t : t - skip[q]), found);
      return int{found[static_cast<Index>(k)]};
    }
    const int w = static_cast<int>(beyond);
    search(skip, j, w, k, found);
    const std::int8_t e = found[static_cast<Index>(k)];
    if (e < j) return e - q;
    return j < q ? j - q : find_base(skip, w);
  };

  for (int k = q - 1; k >= low; --k) {
    const int s = skip[k];
    const std::int64_t beyond = std::int64_t{at.w} + s - at.size;
    if (unknown(k, beyond)) {
      put(send, k, sought(k, beyond));
    } else {
      put(send, k, beyond >= 0 ? k - q : at.base);
    }
    if (at.w < s && at.size > s) {
      j = k;
      room = at.size - s;
    }
    at.descend(s, k - q);
  }
  const auto& found = small.found[skip[low] - 1];
  put(send, 0, b - q);
  for (int k = 1; k < low; ++k) {
    const std::int64_t within = std::int64_t{at.w} + skip[k];
    const std::int64_t beyond = within - at.size;
    if (unknown(low, beyond)) {
      put(send, k, sought(k, beyond));
      continue;
    }
    const std::int8_t e = found[beyond < 0 ? within : beyond][k];
    int base = beyond < 0 ? at.base : j - q;
    if (j == q && beyond >= 0) base = find_base(skip, static_cast<int>(beyond));
    put(send, k, e < low ? e - q : base);
  }
  return searches;
}

}  // namespace roundelay
