// SPDX-License-Identifier: Apache-2.0
// What a report says, and its two forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "preload/record.hpp"

namespace roundelay::preload {

struct Summary {
  int ranks = 1;
  bool alone = false;        // other ranks' parts are missing
  std::int64_t scratch = 0;  // bytes, of the rank that held most
  double setup = 0;          // seconds, of the rank that took longest
  std::vector<Row> rows;
};

// A table for a person, without colour, each line ended.
[[nodiscard]] std::string as_text(const Summary& summary);

// The same as one line of JSON, described in docs/using.md. `event`, if it is not empty, becomes
// its first member.
[[nodiscard]] std::string as_json(const Summary& summary, std::string_view event = {});

// A JSON string.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace roundelay::preload
