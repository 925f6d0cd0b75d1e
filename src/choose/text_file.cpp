// SPDX-License-Identifier: Apache-2.0
#include "choose/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "choose/json.hpp"

namespace roundelay::choose {

namespace {

constexpr std::size_t longest = std::size_t{64} << 20;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

std::string content_of(const std::string& path) {
  const auto fail = [&](const char* why) { throw FileError(path + ": cannot be read: " + why); };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "r"),
                                                             &std::fclose);
  if (file == nullptr) fail(std::strerror(errno));
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t length = std::fread(part.data(), 1, part.size(), file.get())) {
    text.append(part.data(), length);
    if (text.size() > longest) fail("it is longer than 64 MiB");
  }
  if (std::ferror(file.get()) != 0) fail(std::strerror(errno));
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

}  // namespace roundelay::choose
