// SPDX-License-Identifier: Apache-2.0
// What a user has written into a file: a profile, a machine file, a placement.
#pragma once

#include <string>

namespace roundelay::choose {

// All of it, without the mark at the beginning by which some editors name the encoding. Throws
// FileError if it cannot be read, or is too long to have been written by anybody.
[[nodiscard]] std::string content_of(const std::string& path);

}  // namespace roundelay::choose
