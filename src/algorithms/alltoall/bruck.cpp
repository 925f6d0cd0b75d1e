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

// A block waits in scratch memory and at the place of a block that ends here in turn, so that it is
// at its own place after its last hop.
struct Alternating {
  int r;
  int radix;
  Blocks given;
  Blocks blocks;
  Blocks waiting;

  [[nodiscard]] Slice before(Hop hop, int j) const {
    if (hop.is_first_of(j)) return given[r + j];
    return ends_odd(hop, j) ? waiting[j] : blocks[r - j];
  }
  [[nodiscard]] Slice after(Hop hop, int j) const {
    return ends_odd(hop, j) ? blocks[r - j] : waiting[j];
  }

 private:
  [[nodiscard]] bool ends_odd(Hop hop, int j) const { return hops(j / hop.unit, radix) % 2 != 0; }
};

Schedule bruck(const Problem& x) {
  const int r = x.group.rank;
  const auto radix = static_cast<int>(x.choice->number(0));
  const Slice scratch = x.scratch.part(0, x.blocks.whole().length());
  const Blocks waiting = Blocks::even(scratch, x.group.size);
  return by_digits(x.group, copy(x.given[r], x.blocks[r]),
                   Alternating{r, radix, x.given, x.blocks, waiting}, radix);
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
    .schedule = bruck,
}};

}  // namespace
}  // namespace roundelay
