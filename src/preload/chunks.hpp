// SPDX-License-Identifier: Apache-2.0
// Many lengths, in chunks that come to no more than so much together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roundelay::preload {

// The places of its lengths.
struct Chunk {
  std::ptrdiff_t first;
  std::ptrdiff_t end;  // one after the last

  friend bool operator==(Chunk, Chunk) = default;
};

// All of them, in chunks whose lengths come to no more than `most`. A length that is more than
// `most` is a chunk of its own.
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
    chunks.back().end = i + 1;
  }
  return chunks;
}

}  // namespace roundelay::preload
