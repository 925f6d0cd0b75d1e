// SPDX-License-Identifier: Apache-2.0
// How much longer bytes take to those that are far away, where others send as far at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "interpret/sample.hpp"

namespace roundelay::interpret {

// Of ranks, or of the nodes that have them, in their order. Where all send at once to the one so
// far on, a byte takes this many times as long as to the next one: factors[i] from a distance of
// 2^(i + 1) up to its double, and the last one beyond. Where in some round only a share of them
// sends so far, as many flows less meet on the way.
class Taper {
 public:
  // The factors must live as long.
  Taper(std::span<const double> factors, int places) : factors_(factors), places_(places) {}

  [[nodiscard]] bool any() const noexcept {
    return std::ranges::any_of(factors_, [](double factor) { return factor > 1; });
  }

  // Looks through some schedules who sends how far, and in which round; without it, everybody sends
  // everywhere.
  template <typename PlaceOf>
  void count(const Call& call, const PlaceOf& place_of) {
    for (const int rank : some_ranks(call.of().ranks())) {
      const int from = place_of(rank);
      const std::uint32_t bit = 1U << looked_at_++;
      for_each_send(call, rank, [&](std::size_t round, const Transfer& transfer) {
        if (rounds_.size() <= round) rounds_.resize(round + 1);
        rounds_[round][class_of(distance(from, place_of(transfer.peer)))] |= bit;
      });
    }
  }

  // Of the time of a byte that is sent in this round.
  [[nodiscard]] double factor(int from, int to, int round) const {
    const std::size_t far = class_of(distance(from, to));
    if (factors_.empty() || far < 2) return 1;
    return std::max(1.0, share(far, static_cast<std::size_t>(round)) *
                             factors_[std::min(far - 2, factors_.size() - 1)]);
  }

 private:
  static constexpr std::size_t classes = 32;
  // About in step: others may be so many rounds ahead, or late.
  static constexpr std::size_t in_step = 2;

  // Either way round.
  [[nodiscard]] int distance(int from, int to) const {
    const int there = std::abs(from - to);
    return std::min(there, places_ - there);
  }
  static std::size_t class_of(int distance) {
    return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(distance)));
  }
  [[nodiscard]] double share(std::size_t far, std::size_t round) const {
    if (looked_at_ == 0) return 1;
    std::uint32_t senders = 0;
    for (std::size_t i = round < in_step ? 0 : round - in_step;
         i <= round + in_step && i < rounds_.size(); ++i) {
      senders |= rounds_[i][far];
    }
    return static_cast<double>(std::popcount(senders)) / looked_at_;
  }

  std::span<const double> factors_;
  int places_;
  int looked_at_ = 0;
  std::vector<std::array<std::uint32_t, classes>> rounds_;  // a bit for each of these that sends
};

}  // namespace roundelay::interpret
