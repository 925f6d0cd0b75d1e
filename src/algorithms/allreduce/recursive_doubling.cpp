// SPDX-License-Identifier: Apache-2.0
// allreduce.recursive_doubling: partners at distance 1, 2, 4, .. exchange and combine their partial
// results.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.5. log2 p rounds of m units: best for short messages.
// With a greater `radix` k, recursive multiplying (Wilkins et al. 2023, Generalized Collective
// Algorithms for the Exascale Era): groups of f <= k partners, fewer rounds of f - 1 messages at
// once, for networks that take several. Where p is no product of such factors, the first ranks are
// folded in pairs before and unfolded after, two rounds more. Every partial result is of
// consecutive ranks, and all partners combine the same operands: for any operation, with the same
// bits everywhere.
//
//   p = 6:            fold:       0 -> 1   2 -> 3           1, 3, 4, 5 stay
//                     distance 1: 1 <-> 3   4 <-> 5
//                     distance 2: 1 <-> 4   3 <-> 5
//                     unfold:     1 -> 0   3 -> 2
//   p = 6, radix 3:   distance 1: 0 <-> 1   2 <-> 3   4 <-> 5
//                     distance 2: 0 <-> 2 <-> 4 <-> 0   1 <-> 3 <-> 5 <-> 1
#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/factors.hpp"

namespace roundelay {
namespace {

Schedule recursive_doubling(Group g, Slice input, Slice data, Slice scratch, int radix) {
  const Factors factors = factors_of(g.size, radix);
  const int r = g.size - factors.product();
  const bool paired = g.rank < 2 * r;
  if (paired && g.rank % 2 == 0) {
    co_yield round(send(input, g.right()));
    co_yield round(recv(data, g.right()));
    co_return;
  }
  // A combination lands where the higher operand is, so the buffers change places: operand[d] is
  // where that of the partner with digit d is or arrives.
  const Units m = data.length();
  std::vector<Slice> operand{data};
  RoundList list;
  const auto room_for = [&](int partners) {
    for (int i = static_cast<int>(operand.size()); i < partners; ++i) {
      operand.push_back(scratch.part((i - 1) * m, m));
    }
  };
  // The partial result, which is to be in `mine`, and is still the input at the start.
  Slice mine = data;
  Slice held = input;
  if (paired) {
    room_for(2);
    list.add(recv(operand[1], g.left()));
    if (held != mine) list.add(copy(held, mine));
    co_yield list.add(combine(operand[1], mine));
    held = mine;
  }
  const Subgroup t = g.folded(r, 1);
  int d = 1;
  for (const int f : factors) {
    room_for(f);
    const int digit = t.rank / d % f;
    const bool reads_input = held != mine && digit == 0;  // the lowest operand is not written
    std::swap(*std::ranges::find(operand, mine),
              operand[static_cast<std::size_t>(reads_input ? f - 1 : digit)]);
    const Slice lowest = operand[0];
    if (reads_input) operand[0] = held;
    list.clear();
    for (int i = 1; i < f; ++i) {
      const int to = (digit + i) % f;
      const int from = (digit - i + f) % f;
      list.add(send(held, t[t.rank + (to - digit) * d]));
      list.add(recv(operand[static_cast<std::size_t>(from)], t[t.rank + (from - digit) * d]));
    }
    if (held != mine && !reads_input) list.add(copy(held, mine));
    for (std::size_t i = 1; i < static_cast<std::size_t>(f); ++i) {
      list.add(combine(operand[i - 1], operand[i]));
    }
    co_yield list;
    operand[0] = lowest;
    held = mine = operand[static_cast<std::size_t>(f - 1)];
    d *= f;
  }
  if (paired) co_yield round(send(mine, g.left()));
  if (held != data) co_yield round(copy(held, data));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "recursive_doubling",
    .summary = "Partners at distance 1, 2, 4, .. exchange and combine their partial results.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.5; Wilkins et al. 2023",
    .parameters = {radix_parameter()},
    .fixed_order = true,
    .common = true,
    .claims = [](const Choice& choice) -> Claims {
      const int radix = radix_of(choice);
      const FactorFormulas factors(radix);
      return {.scratch = factors.most_partners * m(),
              .rounds = factors.rounds + 2 * factors.folded,
              .volume = (factors.partners + factors.folded) * m(),
              .ports = radix - 1};
    },
    .schedule =
        [](const Problem& x) {
          return recursive_doubling(x.group, x.input, x.data, x.scratch, radix_of(*x.choice));
        },
}};

}  // namespace
}  // namespace roundelay
