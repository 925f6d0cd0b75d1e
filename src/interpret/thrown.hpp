// SPDX-License-Identifier: Apache-2.0
// The words for what a schedule throws.
#pragma once

#include <exception>
#include <string>

namespace roundelay::interpret {

// In a handler: what is being handled, to follow "throws ".
inline std::string describe_thrown() {
  try {
    throw;
  } catch (const std::exception& exception) {
    return std::string("an exception: ") + exception.what();
  } catch (...) {
    return "what is no std::exception";
  }
}

}  // namespace roundelay::interpret
