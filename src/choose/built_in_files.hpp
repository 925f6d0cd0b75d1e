// SPDX-License-Identifier: Apache-2.0
// The files of the folders profiles/ and machines/, which the build writes into the library.
#pragma once

#include <span>
#include <string_view>

namespace roundelay::choose {

struct BuiltInFile {
  std::string_view name;
  std::string_view file;
  std::string_view text;
};
[[nodiscard]] std::span<const BuiltInFile> built_in_profiles();
[[nodiscard]] std::span<const BuiltInFile> built_in_machines();

}  // namespace roundelay::choose
