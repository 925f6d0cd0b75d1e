// SPDX-License-Identifier: Apache-2.0
// What a call moves through memory that all its ranks share.
#pragma once

#include <cstddef>
#include <vector>

#include "interpret/call.hpp"

namespace roundelay::interpret {

// Messages of at most `in_lines` bytes go in lines of `line` bytes and a flag, longer ones in cells
// of `cell` bytes, and what is left of them as a message of so many bytes. Those of one slice are
// read where they are from `in_place` bytes on, 0: never; but not a block of up to
// `shared_in_cells` bytes that is exposed to several.
struct SharedCells {
  Units line = 0;
  Units in_lines = 0;
  Units cell = 0;
  Units in_place = 0;
  Units shared_in_cells = 0;
};

// Of one rank.
struct MemoryTraffic {
  Units copied_in = 0;   // bytes
  Units copied_out = 0;  // bytes, also those that are combined where they are
  Units in_place = 0;    // bytes read where they are
  Units cells = 0;       // filled
  Units flags = 0;       // set: one for each piece of a message and reader
  Units waited_for = 0;  // flags

  friend bool operator==(const MemoryTraffic&, const MemoryTraffic&) = default;
};

// By rank. The unit of the case is a byte. Of a block that is exposed to many, cells are filled
// once.
// Throws std::invalid_argument where Call does.
[[nodiscard]] std::vector<MemoryTraffic> memory_traffic(const Choice& choice, const Case& of,
                                                        const SharedCells& cells);

}  // namespace roundelay::interpret
