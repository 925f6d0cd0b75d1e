// SPDX-License-Identifier: Apache-2.0
// What many have, a part of them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roundelay::preload {

// From the first one to the one before the last.
struct Range {
  std::ptrdiff_t first;
  std::ptrdiff_t last;

  friend bool operator==(Range, Range) = default;
};

// All of them, in ranges whose lengths come to no more than `most`, but for a longer one alone.
[[nodiscard]] inline std::vector<Range> ranges_of_at_most(std::int64_t most,
                                                          std::span<const int> lengths) {
  std::vector<Range> ranges;
  std::int64_t sum = 0;
  for (std::ptrdiff_t i = 0; i < std::ssize(lengths); ++i) {
    const int length = lengths[static_cast<std::size_t>(i)];
    if (ranges.empty() || sum + length > most) {
      ranges.push_back({i, i});
      sum = 0;
    }
    sum += length;
    ranges.back().last = i + 1;
  }
  return ranges;
}

}  // namespace roundelay::preload
