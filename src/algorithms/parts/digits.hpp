// SPDX-License-Identifier: Apache-2.0
// The way of a block by the digits of its distance, in alltoall.bruck, alltoallv.tuna and inside
// the nodes of alltoall.aggregated.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// Hops of a block that goes a distance: digits that are not 0.
[[nodiscard]] inline int hops(int distance, int radix) noexcept {
  int count = 0;
  for (; distance > 0; distance /= radix) count += distance % radix > 0 ? 1 : 0;
  return count;
}

// The distances of the hops, round by round: 1, .., radix - 1 at the lowest digit, and so on.
struct Hop {
  int unit = 1;
  int digit = 1;

  [[nodiscard]] int distance() const noexcept { return unit * digit; }
  // Whether a block that has so far to go in all does this.
  [[nodiscard]] bool is_of(int whole, int radix) const noexcept {
    return whole / unit % radix == digit;
  }
  [[nodiscard]] bool is_first_of(int whole) const noexcept { return whole % unit == 0; }
  // How far that has to go after it.
  [[nodiscard]] int left(int whole, int radix) const noexcept {
    return whole - whole % (unit * radix);
  }
  [[nodiscard]] bool is_last_of(int whole, int radix) const noexcept {
    return left(whole, radix) == 0;
  }
  void next(int radix) noexcept {
    if (++digit < radix) return;
    unit *= radix;
    digit = 1;
  }
};

// What goes a distance: a block, or several together.
inline void add_to(Slices& message, Slice block, SliceRoom& room) { message.add(block, room); }
inline void add_to(Slices& message, std::span<const Slice> blocks, SliceRoom& room) {
  for (const Slice block : blocks) message.add(block, room);
}

// Every block goes to its rank by the digits of its distance, all that have a digit together.
// `way.before` and `way.after` say where what goes a distance is before and after a hop.
template <typename Way>
Schedule by_digits(Group g, std::optional<LocalStep> own, Way way, int radix) {
  SliceRoom sent;
  SliceRoom received;
  if (own.has_value()) co_yield round(*own);
  for (Hop hop; hop.distance() < g.size; hop.next(radix)) {
    sent.clear();
    received.clear();
    Slices going;
    Slices coming;
    for (int j = hop.distance(); j < g.size; ++j) {
      if (!hop.is_of(j, radix)) continue;
      add_to(going, way.before(hop, j), sent);
      add_to(coming, way.after(hop, j), received);
    }
    const int d = hop.distance();
    co_yield round(send(going, g[g.rank + d]), recv(coming, g[g.rank - d]));
  }
}

[[nodiscard]] inline Parameter digits_parameter(std::string_view standard = "2") {
  return {.name = "radix",
          .summary = "the base of the digits; a greater base takes more rounds and moves less data",
          .least = 2,
          .most = 64,
          .standard = standard,
          .priced = true};
}

// Rounds, and blocks that each rank sends.
struct DigitClaims {
  explicit DigitClaims(int radix)
      : rounds(of("rounds_of_digits", radix,
                  [](int p, int base) {
                    int count = 0;
                    for (Hop hop; hop.distance() < p; hop.next(base)) ++count;
                    return count;
                  })),
        moved(of("nonzero_digits_below", radix, [](int p, int base) {
          int count = 0;
          for (int j = 1; j < p; ++j) count += hops(j, base);
          return count;
        })) {}

  Formula rounds;
  Formula moved;

 private:
  static Formula of(const char* text, int radix, int (*function)(int p, int base)) {
    return Formula::of(std::string(text) + "(p, " + std::to_string(radix) + ")",
                       [=](const Dimensions& x) -> double { return function(x.p, radix); });
  }
};

}  // namespace roundelay
