// SPDX-License-Identifier: Apache-2.0
// Writing JSON.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace roundelay::preload {

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

// The text with U+FFFD in place of each byte that is not part of UTF-8, which JSON asks for: paths
// may have any bytes.
[[nodiscard]] std::string as_utf8(std::string_view text);

inline void put(JsonWriter& json, std::string_view text) {
  const std::string valid = as_utf8(text);
  json.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}
inline void put(JsonWriter& json, const char* text) { put(json, std::string_view(text)); }
inline void put(JsonWriter& json, int value) { json.Int(value); }
inline void put(JsonWriter& json, std::int64_t value) { json.Int64(value); }
inline void put(JsonWriter& json, std::uint64_t value) { json.Uint64(value); }
inline void put(JsonWriter& json, double value) { json.Double(value); }
inline void put(JsonWriter& json, bool value) { json.Bool(value); }

// A member of the object that is being written.
template <typename Value>
void put(JsonWriter& json, const char* key, const Value& value) {
  json.Key(key);
  put(json, value);
}

}  // namespace roundelay::preload
