// SPDX-License-Identifier: Apache-2.0
#include "preload/json.hpp"

#include <rapidjson/encodings.h>

namespace roundelay::preload {

std::string as_utf8(std::string_view text) {
  const std::string bytes(text);  // ends in a zero, at which a sequence that is cut short fails
  std::string valid;
  for (std::size_t at = 0; at < bytes.size();) {
    rapidjson::StringStream rest(bytes.c_str() + at);
    rapidjson::StringBuffer character;
    if (rapidjson::UTF8<>::Validate(rest, character)) {
      valid.append(character.GetString(), character.GetSize());
      at += rest.Tell();
    } else {
      valid += "\uFFFD";
      ++at;
    }
  }
  return valid;
}

}  // namespace roundelay::preload
