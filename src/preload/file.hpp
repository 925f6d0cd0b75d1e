// SPDX-License-Identifier: Apache-2.0
// Writing a file.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace roundelay::preload {

// Whether all of the text was written; if not, errno says why. `mode` as for fopen.
[[nodiscard]] inline bool write_file(const std::string& path, const char* mode,
                                     std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace roundelay::preload
