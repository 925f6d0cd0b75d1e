// SPDX-License-Identifier: Apache-2.0
#include "shared/single_copy.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <vector>

namespace roundelay::shared {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::size_t, 3> lengths{8192, 32768, longest_measured};
constexpr int tries = 4;  // of which the fastest counts

// A message of bytes in a row, again and again.
class Row final : public Message {
 public:
  Row(bool is_sent, int other, std::span<std::byte> room) : room_(room) {
    sends = waits_for_receiver = is_sent;
    peer = other;
  }

  // As if the program had just computed what is sent.
  void begin(int number, std::size_t size) {
    bytes_ = room_.first(size);
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
  std::span<std::byte> room_;
  std::span<std::byte> bytes_;
  std::size_t at_ = 0;
};

// What this rank sends and receives at the same time. Whether all could be read that it received.
bool exchange(Port& port, std::span<Row> rows, int number, std::size_t size, const Finish& finish,
              Clock::duration& least) {
  for (Row& row : rows) row.begin(number, size);
  const auto before = port.counters().unreadable;
  const auto start = Clock::now();
  for (Row& row : rows) port.start(row);
  for (const Row& row : rows) finish(row);
  least = std::min(least, Clock::now() - start);
  return port.counters().unreadable == before;
}

struct Result {
  std::size_t worth = never;
  bool readable = true;
};

Result measure(Port& port, std::span<Row> rows, const Finish& finish) {
  Result result;
  bool worth_so_far = true;
  for (std::size_t i = lengths.size(); i-- > 0;) {
    auto copied = Clock::duration::max();
    auto read = Clock::duration::max();
    // In turn, so that what disturbs one of them for a while disturbs both.
    for (int number = 0; number < tries; ++number) {
      port.read_in_place_from({});
      exchange(port, rows, number, lengths[i], finish, copied);
      port.read_in_place_from({.one_way = 1, .both_ways = 1});
      const bool all = exchange(port, rows, number, lengths[i], finish, read);
      result.readable = result.readable && all;
    }
    worth_so_far = worth_so_far && read < copied;
    if (worth_so_far) result.worth = lengths[i];
  }
  port.read_in_place_from({});
  return result;
}

}  // namespace

InPlaceFrom worth_reading_in_place(Port& port, int other, bool sends, bool shares_cores,
                                   std::span<std::byte> memory, const Finish& finish) {
  // A receive is started before a send, as in a round.
  std::vector<Row> rows{Row(false, other, memory.first(longest_measured)),
                        Row(true, other, memory.subspan(longest_measured))};
  const Result one_way = measure(port, std::span(rows).subspan(sends ? 1 : 0, 1), finish);
  const Result both_ways = measure(port, rows, finish);
  if (!one_way.readable || !both_ways.readable) return {};
  if (shares_cores) return {.one_way = Layout::cell_bytes, .both_ways = Layout::cell_bytes};
  return {.one_way = one_way.worth, .both_ways = both_ways.worth};
}

}  // namespace roundelay::shared
