// SPDX-License-Identifier: Apache-2.0
// How much longer bytes take to those that are far away, where others send as far at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "interpret/sample.hpp"

namespace roundelay::interpret {

// Of ranks, or of the nodes that have them, in their order. Where all send at once to the one so
// far on, a byte takes distance^exponent times as long as to the next one: a way that many share
// has as many flows in it as the distance is. The exponent is taken in eighths, whose powers are
// the same on every machine. Where only a share of them ever sends so far, or farther within a
// factor of two, as many flows less.
class Taper {
 public:
  Taper(double exponent, int places) : eighths_(static_cast<int>(8 * exponent)), places_(places) {}

  [[nodiscard]] bool any() const noexcept { return eighths_ > 0; }

  // Looks through some schedules who sends how far; without it, everybody sends everywhere.
  template <typename PlaceOf>
  void count(const Call& call, const PlaceOf& place_of) {
    std::vector<std::uint32_t> sends;
    for (const int rank : some_ranks(call.of().ranks())) {
      const int from = place_of(rank);
      std::uint32_t& classes = sends.emplace_back();
      for_each_send(call, rank, [&](const Transfer& transfer) {
        classes |= 1U << class_of(distance(from, place_of(transfer.peer)));
      });
    }
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const auto many = std::ranges::count_if(
          sends, [&](std::uint32_t classes) { return (classes >> i & 1U) != 0; });
      shares_[i] = static_cast<double>(many) / static_cast<double>(sends.size());
    }
  }

  // Of the time of a byte.
  [[nodiscard]] double factor(int from, int to) const {
    if (!any() || from == to) return 1;
    const int far = distance(from, to);
    return std::max(1.0, shares_[static_cast<std::size_t>(class_of(far))] * power(far));
  }

 private:
  // Either way round.
  [[nodiscard]] int distance(int from, int to) const {
    const int there = std::abs(from - to);
    return std::min(there, places_ - there);
  }
  static int class_of(int distance) { return std::bit_width(static_cast<unsigned>(distance)); }
  [[nodiscard]] double power(int distance) const {
    double product = 1;
    for (int i = 0; i < eighths_ / 8; ++i) product *= distance;
    double root = distance;
    for (int part = 4; part > 0; part /= 2) {
      root = std::sqrt(root);
      if ((eighths_ & part) != 0) product *= root;
    }
    return product;
  }

  static constexpr std::array<double, 32> everybody() {
    std::array<double, 32> all{};
    all.fill(1);
    return all;
  }

  int eighths_;
  int places_;
  std::array<double, 32> shares_ = everybody();
};

}  // namespace roundelay::interpret
