// SPDX-License-Identifier: Apache-2.0
// From the table for skip[k] ranks that for skip[k + 1] follows by copying it, except for a few
// ranks: this takes 2 to 6 ns a rank up to p = 1 million, where a schedule of its own for each
// takes 60 to 140.
#include "schedule/circulant_table.hpp"

#include <algorithm>

#include "schedule/circulant.hpp"

namespace roundelay {

CirculantTable::CirculantTable(int p) : p_(static_cast<std::size_t>(p)) {
  const Skips skip = Skips::halving(p);
  const int q = skip.rounds();
  entries_.resize(p_ * static_cast<std::size_t>(q));
  std::vector<std::int8_t> base(p_);  // base blocks; of rank 0 as of a rank, not as of the root
  const auto column = [&](int k) { return entries_.data() + static_cast<std::size_t>(k) * p_; };

  for (int k = 0; k < q; ++k) {
    const int half = skip[k];
    const int more = skip[k + 1] - half;
    const auto own = static_cast<std::int8_t>(k - q);
    for (int i = 0; i < k; ++i) {
      const std::int8_t* from = column(i);
      std::int8_t* to = column(i) + half;
      for (int v = 0; v < more; ++v) to[v] = from[v] < 0 ? from[v] : own;
    }
    base[0] = static_cast<std::int8_t>(k);
    std::copy_n(base.data(), more, base.data() + half);
    std::fill_n(column(k), half, own);
    std::copy_n(base.data(), more, column(k) + half);

    // Where docs/explanation/circulant.md does not promise that the schedule of skip[k] ranks lives
    // on.
    if (skip[k + 1] % 2 == 0) continue;
    const Skips part = Skips::halving(skip[k + 1]);
    for (int v = 0; v < std::min(half, k + 1); ++v) {
      CirculantEntries entries;
      receive_schedule(part, v, entries);
      for (int i = 0; i <= k; ++i) {
        const std::int8_t entry = entries[static_cast<std::size_t>(i)];
        column(i)[v] = static_cast<std::int8_t>(entry < 0 ? entry + k + 1 - q : entry);
      }
    }
  }
}

}  // namespace roundelay
