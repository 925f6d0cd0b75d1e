// SPDX-License-Identifier: Apache-2.0
// The profiles of the folder profiles/, which the build writes into the library.
#pragma once

#include <span>
#include <string_view>

namespace roundelay::choose {

struct BuiltInProfile {
  std::string_view name;
  std::string_view file;
  std::string_view text;
};
[[nodiscard]] std::span<const BuiltInProfile> built_in_profiles();

}  // namespace roundelay::choose
