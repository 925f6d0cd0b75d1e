// SPDX-License-Identifier: Apache-2.0
#include "shared/reading.hpp"

#include <algorithm>

namespace roundelay::shared {

namespace {

constexpr std::uint64_t bounce_bytes = 32768;

}  // namespace

std::size_t Reader::read(pid_t process, Elsewhere piece, Message& message) {
  const std::size_t all = piece.bytes;
  while (piece.bytes > 0) {
    std::span<std::byte> into = message.room();
    const bool stays = !into.empty();
    if (!stays) {
      if (bounce_ == nullptr) bounce_ = std::make_unique_for_overwrite<std::byte[]>(bounce_bytes);
      into = {bounce_.get(), whole_grains(std::min(bounce_bytes, piece.bytes), message.grain)};
    }
    into = into.first(std::min<std::uint64_t>(into.size(), piece.bytes));
    if (!read_from(process, piece.where, into)) break;
    stays ? message.skip(into.size()) : message.take(into.data(), into.size());
    piece.where += into.size();
    piece.bytes -= into.size();
  }
  return all - piece.bytes;
}

}  // namespace roundelay::shared
