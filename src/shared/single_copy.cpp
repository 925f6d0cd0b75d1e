// SPDX-License-Identifier: Apache-2.0
#include "shared/single_copy.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>

namespace roundelay::shared {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::size_t, 3> lengths{8192, 32768, longest_measured};
constexpr int tries = 4;  // of which the fastest counts

// A message of bytes in a row, again and again.
class Row final : public Message {
 public:
  Row(bool is_sent, int other, std::span<std::byte> bytes) : bytes_(bytes) {
    sends = waits_for_receiver = is_sent;
    peer = other;
  }

  // As if the program had just computed what is sent.
  void begin(int number) {
    std::ranges::fill(bytes_, static_cast<std::byte>(number));
    at_ = 0;
    done = failed = false;
  }
  [[nodiscard]] std::size_t left() const override { return bytes_.size() - at_; }
  [[nodiscard]] std::span<const std::byte> in_a_row() const override { return bytes_.subspan(at_); }
  void give(std::byte* to, std::size_t size) override {
    std::memcpy(to, bytes_.data() + at_, size);
    skip(size);
  }
  void skip(std::size_t size) override { at_ += size; }
  [[nodiscard]] std::span<std::byte> room() override { return bytes_.subspan(at_); }
  void take(const std::byte* from, std::size_t size) override {
    std::memcpy(bytes_.data() + at_, from, size);
    skip(size);
  }

 private:
  std::span<std::byte> bytes_;
  std::size_t at_ = 0;
};

// Both sides of the same messages. Whether all came.
bool exchange(Port& port, Row& row, const Finish& finish, Clock::duration& least) {
  bool all = true;
  least = Clock::duration::max();
  for (int i = 0; i < tries; ++i) {
    row.begin(i);
    const auto start = Clock::now();
    port.start(row);
    finish(row);
    least = std::min(least, Clock::now() - start);
    all = all && !row.failed;
  }
  return all;
}

}  // namespace

std::size_t worth_reading_in_place(Port& port, int other, bool sends, bool shares_cores,
                                   std::span<std::byte> memory, const Finish& finish) {
  std::size_t worth = never;
  bool worth_so_far = true;
  bool readable = true;
  for (std::size_t i = lengths.size(); i-- > 0;) {
    Row row(sends, other, memory.first(lengths[i]));
    Clock::duration copied{};
    Clock::duration read{};
    port.read_in_place_from(never);
    exchange(port, row, finish, copied);
    port.read_in_place_from(1);
    readable = exchange(port, row, finish, read) && readable;
    worth_so_far = worth_so_far && read < copied;
    if (worth_so_far) worth = lengths[i];
  }
  port.read_in_place_from(never);
  if (sends) return shares_cores ? Layout::cell_bytes : worth;
  return readable ? 0 : never;
}

}  // namespace roundelay::shared
