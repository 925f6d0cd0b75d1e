// SPDX-License-Identifier: Apache-2.0
// Names as a sentence has them.
#pragma once

#include <string>

namespace roundelay::choose {

// "ring, bruck"; "none" if there are none.
template <typename Names>
[[nodiscard]] std::string listed(const Names& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text.empty() ? "none" : text;
}

}  // namespace roundelay::choose
