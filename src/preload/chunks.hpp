// SPDX-License-Identifier: Apache-2.0
// Many lengths, in chunks that come to no more than so much together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roundelay::preload {

// From the first one to the one before the last.
struct Chunk {
  std::ptrdiff_t first;
  std::ptrdiff_t last;

  friend bool operator==(Chunk, Chunk) = default;
};

// All of them, in chunks whose lengths come to no more than `most`, but for a longer one alone.
[[nodiscard]] inline std::vector<Chunk> chunks_of_at_most(std::int64_t most,
                                                          std::span<const int> lengths) {
  std::vector<Chunk> chunks;
  std::int64_t sum = 0;
  for (std::ptrdiff_t i = 0; i < std::ssize(lengths); ++i) {
    const int length = lengths[static_cast<std::size_t>(i)];
    if (chunks.empty() || sum + length > most) {
      chunks.push_back({i, i});
      sum = 0;
    }
    sum += length;
    chunks.back().last = i + 1;
  }
  return chunks;
}

}  // namespace roundelay::preload
