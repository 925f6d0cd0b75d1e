// SPDX-License-Identifier: Apache-2.0
// Messages of bytes in a row, for tests of what carries them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "shared/message.hpp"

namespace roundelay::shared {

// A message of bytes in a row. One that is seen is not read to where it stays without take().
class Bytes final : public Message {
 public:
  std::vector<std::byte> bytes;
  bool seen = false;

  Bytes(bool sending, int with, Tag its_tag, std::size_t size) : bytes(size) {
    sends = sending;
    peer = with;
    tag = its_tag;
  }
  [[nodiscard]] std::size_t left() const override { return bytes.size() - at_; }
  [[nodiscard]] std::span<const std::byte> in_a_row() const override {
    return std::span(bytes).subspan(at_);
  }
  void give(std::byte* to, std::size_t size) override {
    if (size == 0) return;
    std::memcpy(to, bytes.data() + at_, size);
    at_ += size;
  }
  void skip(std::size_t size) override { at_ += size; }
  [[nodiscard]] std::span<std::byte> room() override {
    return seen ? std::span<std::byte>() : std::span(bytes).subspan(at_);
  }
  void take(const std::byte* from, std::size_t size) override {
    if (size == 0) return;
    std::memcpy(bytes.data() + at_, from, size);
    at_ += size;
  }

 private:
  std::size_t at_ = 0;
};

// What message `number` of one rank to another holds.
inline void fill(Bytes& message, int from, int to, int number) {
  std::mt19937 random(static_cast<unsigned>(from * 10007 + to * 101 + number));
  for (std::byte& byte : message.bytes) byte = static_cast<std::byte>(random());
}

}  // namespace roundelay::shared
