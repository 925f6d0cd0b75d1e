// SPDX-License-Identifier: Apache-2.0
#include "choose/json.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <utility>

namespace roundelay::choose {

namespace {

class Lines {
 public:
  explicit Lines(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') begins_.push_back(at + 1);
    }
  }
  [[nodiscard]] int of(std::size_t offset) const {
    return static_cast<int>(std::ranges::upper_bound(begins_, offset) - begins_.begin());
  }
  [[nodiscard]] std::size_t column(std::size_t offset) const {
    return offset - begins_[static_cast<std::size_t>(of(offset)) - 1] + 1;
  }

 private:
  std::vector<std::size_t> begins_{0};
};

// Builds the document from what the reader tells. The names of its functions are RapidJSON's.
class Builder {
 public:
  Builder(const rapidjson::MemoryStream& stream, const Lines& lines, const std::string& file)
      : stream_(stream), lines_(lines), file_(file) {
    open_.push_back({.kind = Json::Kind::array});
  }

  Json take() { return std::move(open_.front().items.front()); }

  bool Null() { return add({.kind = Json::Kind::null, .line = line()}); }
  bool Bool(bool value) {
    return add({.kind = Json::Kind::boolean, .line = line(), .boolean = value});
  }
  bool Int(int value) { return Int64(value); }
  bool Uint(unsigned value) { return Int64(value); }
  bool Int64(std::int64_t value) {
    return add({.kind = Json::Kind::integer, .line = line(), .integer = value});
  }
  // Numbers from 2^32 on.
  bool Uint64(std::uint64_t value) {
    if (!std::in_range<std::int64_t>(value)) {
      throw FileError(file_, line(), "the number does not fit into 64 bits");
    }
    return Int64(static_cast<std::int64_t>(value));
  }
  bool Double(double value) {
    return add({.kind = Json::Kind::fraction, .line = line(), .fraction = value});
  }
  bool RawNumber(const char* /*text*/, rapidjson::SizeType /*length*/, bool /*copy*/) {
    return false;  // nobody asked for numbers as text
  }
  bool String(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    return add({.kind = Json::Kind::string, .line = line(), .string = {text, length}});
  }
  bool StartObject() { return open(Json::Kind::object); }
  bool EndObject(rapidjson::SizeType /*members*/) { return close(); }
  bool StartArray() { return open(Json::Kind::array); }
  bool EndArray(rapidjson::SizeType /*items*/) { return close(); }
  bool Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    std::string key(text, length);
    std::vector<Json::Key>& keys = open_.back().keys;
    const auto same = std::ranges::find(keys, key, &Json::Key::text);
    if (same != keys.end()) {
      throw FileError(file_, line(),
                      "\"" + key + "\" occurs twice, first in line " + std::to_string(same->line));
    }
    keys.push_back({std::move(key), line()});
    return true;
  }

 private:
  // Of the last character read. What is asked for are strings, numbers and opening brackets: they
  // end on the line on which they begin.
  [[nodiscard]] int line() const { return lines_.of(std::max<std::size_t>(1, stream_.Tell()) - 1); }

  bool open(Json::Kind kind) {
    if (open_.size() > deepest)
      throw FileError(file_, line(), "too many nested arrays and objects");
    open_.push_back({.kind = kind, .line = line()});
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(Json value) {
    open_.back().items.push_back(std::move(value));
    return true;
  }

  static constexpr std::size_t deepest = 100;

  const rapidjson::MemoryStream& stream_;
  const Lines& lines_;
  const std::string& file_;
  std::vector<Json> open_;  // from the outermost; the first holds the document
};

}  // namespace

std::string_view Json::kind_name() const noexcept {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::boolean: return "true or false";
    case Kind::integer: return "a number";
    case Kind::fraction: return "a fraction";
    case Kind::string: return "a string";
    case Kind::array: return "an array";
    case Kind::object: return "an object";
  }
  return {};
}

Json parse_json(std::string_view text, const std::string& file) {
  const Lines lines(text);
  // The reader would take it for the end.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw FileError(file, lines.of(zero), "this is not a text file: it has a zero byte");
  }
  rapidjson::MemoryStream stream(text.data(), text.size());
  Builder builder(stream, lines, file);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result =
      reader.Parse<rapidjson::kParseValidateEncodingFlag>(stream, builder);
  if (result.IsError()) {
    throw FileError(file, lines.of(result.Offset()),
                    "column " + std::to_string(lines.column(result.Offset())) +
                        ": this is not JSON: " + rapidjson::GetParseError_En(result.Code()));
  }
  return builder.take();
}

}  // namespace roundelay::choose
