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
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/digits.hpp"

namespace roundelay {
namespace {

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
      if (!hop.is_of(j, radix)) continue;
      const bool first = hop.is_first_of(j);
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
    .parameters = {digits_parameter()},
    .common = true,
    .claims = [](const Choice& choice) -> Claims {
      const DigitClaims digits(static_cast<int>(choice.number(0)));
      return {.scratch = m(),
              .rounds = digits.rounds,
              .volume = m() / p() * digits.moved,
              .symmetric = true};
    },
    .schedule =
        [](const Problem& x) {
          return bruck(x.group, x.given, x.blocks, x.scratch,
                       static_cast<int>(x.choice->number(0)));
        },
}};

}  // namespace
}  // namespace roundelay
