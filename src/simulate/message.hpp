// SPDX-License-Identifier: Apache-2.0
// What a simulated collective sends and receives.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace roundelay::simulate {

// real:   memory of its own for every rank, so that results can be checked;
// shared: one piece for all ranks (shared_pages.hpp): results are garbage.
enum class Pages : bool { real, shared };

class Message {
 public:
  // Numbers for each of `ranks` blocks, as many as fit into the bytes. `distribution` says how long
  // the blocks are: regular, all alike; irregular, as i mod 3 for rank i; degenerate, rank 0 has
  // all. Throws std::invalid_argument.
  Message(std::string_view distribution, std::size_t bytes, int rank, int ranks, Pages pages);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(counts.size()); }
  [[nodiscard]] int own_count() const { return counts[static_cast<std::size_t>(rank_)]; }
  [[nodiscard]] int own_offset() const { return offsets[static_cast<std::size_t>(rank_)]; }

  int count = 0;  // of all blocks
  int block = 0;  // the length of each, where they are alike
  std::vector<int> counts, offsets;
  unsigned* in;
  unsigned* out;

  // The number that stands at an index of a rank's input.
  [[nodiscard]] static unsigned number(int rank, int index) noexcept {
    return static_cast<unsigned>(rank) * 2654435761U + static_cast<unsigned>(index) * 40503U;
  }
  // Input as number() says; output as no result is.
  void fill() const;

 private:
  struct Free {
    Pages pages;
    void operator()(unsigned* memory) const;
  };
  using Memory = std::unique_ptr<unsigned, Free>;
  static Memory allocate(int count, Pages pages);

  int rank_;
  Memory in_, out_;
};

}  // namespace roundelay::simulate
