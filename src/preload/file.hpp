// SPDX-License-Identifier: Apache-2.0
// Writing a file. Both functions return whether all of the text was written; if not, errno says
// why.
#pragma once

#include <string>
#include <string_view>

namespace roundelay::preload {

// Adds the text at the end. It is one write, so that texts that several processes append at once do
// not mix.
[[nodiscard]] bool append_to_file(const std::string& path, std::string_view text);

// Writes the text in place of what the file holds. If the disk is full, the file stays as it was. A
// device, a pipe or a link is written to directly, and so is a file in a folder in which no file
// can be made.
[[nodiscard]] bool replace_file(const std::string& path, std::string_view text);

}  // namespace roundelay::preload
