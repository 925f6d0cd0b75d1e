// SPDX-License-Identifier: Apache-2.0
// The end of what takes long.
#pragma once

#include <exception>

namespace roundelay::interpret {

// Whoever wanted to know no longer does.
class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

}  // namespace roundelay::interpret
