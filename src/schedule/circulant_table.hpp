// SPDX-License-Identifier: Apache-2.0
// The receive schedules of all ranks, for collectives in which every rank is a root (allgatherv,
// reduce_scatter): p q bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roundelay {

class CirculantTable {
 public:
  explicit CirculantTable(int p);

  // What ranks 0 .. p - 1, counted from the root, receive in round k < ceil(log2 p).
  [[nodiscard]] std::span<const std::int8_t> round(int k) const noexcept {
    return {entries_.data() + static_cast<std::size_t>(k) * p_, p_};
  }

 private:
  std::size_t p_;
  std::vector<std::int8_t> entries_;
};

}  // namespace roundelay
