// SPDX-License-Identifier: Apache-2.0
// alltoall.bruck: blocks travel their distance digit by digit, all that have a digit together.
//
// Bruck et al. 1997; Thakur, Rabenseifner, Gropp 2005, section 4.3. A block that has to go j ranks
// ahead goes by the digits of j to the base `radix`: with radix 2, ceil(log2 p) rounds of about m/2
// units, for short blocks. A greater radix takes more rounds and moves less; from p on every block
// goes straight to its place. The papers copy the blocks into the order of their distances before,
// and out of it after; here, as in Traff, Rougier, Hunold 2014 (Implementing a Classic), they lie
// alternately in scratch memory and in the output so that the last hop ends in place.
//
//   p = 5, radix 2, rank 2, by distances:   round 0: sends 1 3 to 3, receives 1 3 from 1
//                                           round 1: sends 2 3 to 4, receives 2 3 from 0
//                                           round 2: sends 4   to 1, receives 4   from 3
#include <string>

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

// Hops of a block that goes a distance: digits that are not 0.
int hops(int distance, int radix) {
  int count = 0;
  for (; distance > 0; distance /= radix) count += distance % radix > 0 ? 1 : 0;
  return count;
}

// The distances of the hops, round by round: 1, .., radix - 1 at the lowest digit, and so on.
struct Hop {
  int unit = 1;
  int digit = 1;

  [[nodiscard]] int distance() const noexcept { return unit * digit; }
  void next(int radix) noexcept {
    if (++digit < radix) return;
    unit *= radix;
    digit = 1;
  }
};

Schedule bruck(Group g, Blocks given, Blocks blocks, Slice scratch, int radix) {
  const int r = g.rank;
  const int p = g.size;
  const Blocks waiting = Blocks::even(scratch.part(0, blocks.whole().length()), p);
  SliceRoom sent;
  SliceRoom received;
  co_yield round(copy(given[r], blocks[r]));
  for (Hop hop; hop.distance() < p; hop.next(radix)) {
    sent.clear();
    received.clear();
    Slices going;
    Slices coming;
    for (int j = hop.distance(); j < p; ++j) {
      if (j / hop.unit % radix != hop.digit) continue;
      const bool first = j % hop.unit == 0;
      const bool ends_odd = hops(j / hop.unit, radix) % 2 != 0;
      going.add(first ? given[r + j] : (ends_odd ? waiting[j] : blocks[r - j]), sent);
      coming.add(ends_odd ? blocks[r - j] : waiting[j], received);
    }
    const int d = hop.distance();
    co_yield round(send(going, g[r + d]), recv(coming, g[r - d]));
  }
}

const Registered entry{{
    .collective = Collective::alltoall,
    .name = "bruck",
    .summary = "A block travels its distance digit by digit; in each round, all blocks with the "
               "same digit travel together.",
    .paper = "Bruck et al. 1997; Thakur, Rabenseifner, Gropp 2005, section 4.3",
    .parameters =
        {{.name = "radix",
          .summary = "the base of the digits; a greater base takes more rounds and moves less data",
          .least = 2,
          .most = 64,
          .standard = "2"}},
    .common = true,
    .claims = [](const Choice& choice) -> Claims {
      const int radix = static_cast<int>(choice.number(0));
      const auto of = [radix](const char* text, auto function) {
        return Formula::of(std::string(text) + "(p, " + std::to_string(radix) + ")",
                           [=](const Dimensions& x) -> double { return function(x.p, radix); });
      };
      const Formula rounds = of("rounds_of_digits", [](int p, int base) {
        int count = 0;
        for (Hop hop; hop.distance() < p; hop.next(base)) ++count;
        return count;
      });
      const Formula moved = of("nonzero_digits_below", [](int p, int base) {
        int count = 0;
        for (int j = 1; j < p; ++j) count += hops(j, base);
        return count;
      });
      return {.scratch = m(), .rounds = rounds, .volume = m() / p() * moved, .symmetric = true};
    },
    .schedule =
        [](const Problem& x) {
          return bruck(x.group, x.given, x.blocks, x.scratch,
                       static_cast<int>(x.choice->number(0)));
        },
}};

}  // namespace
}  // namespace roundelay
