// SPDX-License-Identifier: Apache-2.0
// A JSON document whose values know the line on which they stand.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace roundelay::choose {

// What a file says is not valid: "file:line: what is wrong, and what would be valid".
class FileError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
  FileError(const std::string& file, int line, const std::string& what)
      : std::invalid_argument(file + ":" + std::to_string(line) + ": " + what) {}
};

struct Json {
  enum class Kind : std::uint8_t { null, boolean, integer, fraction, string, array, object };
  struct Key {
    std::string text;
    int line;
  };

  Kind kind = Kind::null;
  int line = 1;  // of its beginning
  bool boolean = false;
  std::int64_t integer = 0;
  double fraction = 0;
  std::string string = {};
  std::vector<Json> items = {};  // of an array, or of an object by its keys
  std::vector<Key> keys = {};

  // "a string", "an array" ..
  [[nodiscard]] std::string_view kind_name() const noexcept;
};

// No key twice in an object, numbers within 64 bits. Throws FileError; `file` is for its sentence.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& file);

}  // namespace roundelay::choose
