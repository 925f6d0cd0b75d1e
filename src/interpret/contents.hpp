// SPDX-License-Identifier: Apache-2.0
// What one space of one rank holds, symbolically, as runs of neighbouring units.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/slice.hpp"

namespace roundelay::interpret {

// Who contributed to a unit: an id of Expressions; always 0 where data is only moved.
using Expression = std::uint32_t;

// `length` units; the first stands for unit `index` of the whole message, the second for the next
// ..
struct Run {
  Units offset = 0;
  Units length = 0;
  Units index = 0;
  Expression expression = 0;

  [[nodiscard]] Units end() const noexcept { return offset + length; }
};

// The runs of a message: offsets count from its beginning, and there are no gaps.
using Message = std::vector<Run>;

class Contents {
 public:
  // Appends what is at the slice; returns the first unit that holds nothing, if there is one.
  std::optional<Units> read(Slice slice, Message& into) const;
  void write(Run run);
  // The slice holds nothing from now on.
  void forget(Slice slice);
  [[nodiscard]] std::span<const Run> runs() const noexcept { return runs_; }

 private:
  std::vector<Run> runs_;  // by offset; neighbours that continue each other are one
};

}  // namespace roundelay::interpret
