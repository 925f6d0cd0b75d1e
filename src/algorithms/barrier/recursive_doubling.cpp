// SPDX-License-Identifier: Apache-2.0
// barrier.recursive_doubling: partners at distance 1, 2, 4, .. tell each other whom they know of.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.5, without data. log2 p rounds of one empty message
// each way, between partners: cheaper than dissemination where both ways of one link are. With a
// greater `radix` k, groups of f <= k partners as in allreduce.recursive_doubling (Wilkins et al.
// 2023). Where p is no product of such factors, the first ranks are folded in pairs before and
// unfolded after, two rounds more.
//
//   p = 6:            fold:       0 -> 1   2 -> 3           1, 3, 4, 5 stay
//                     distance 1: 1 <-> 3   4 <-> 5
//                     distance 2: 1 <-> 4   3 <-> 5
//                     unfold:     1 -> 0   3 -> 2
//   p = 6, radix 3:   distance 1: 0 <-> 1   2 <-> 3   4 <-> 5
//                     distance 2: 0 <-> 2 <-> 4 <-> 0   1 <-> 3 <-> 5 <-> 1
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/factors.hpp"

namespace roundelay {
namespace {

Schedule recursive_doubling(Group g, int radix) {
  const Factors factors = factors_of(g.size, radix);
  const int r = g.size - factors.product();
  const bool paired = g.rank < 2 * r;
  if (paired && g.rank % 2 == 0) {
    co_yield round(send_token(g.right()));
    co_yield round(recv_token(g.right()));
    co_return;
  }
  if (paired) co_yield round(recv_token(g.left()));
  const Subgroup t = g.folded(r, 1);
  RoundList list;
  int d = 1;
  for (const int f : factors) {
    const int digit = t.rank / d % f;
    list.clear();
    for (int i = 1; i < f; ++i) {
      list.add(send_token(t[t.rank + ((digit + i) % f - digit) * d]));
      list.add(recv_token(t[t.rank + ((digit - i + f) % f - digit) * d]));
    }
    co_yield list;
    d *= f;
  }
  if (paired) co_yield round(send_token(g.left()));
}

const Registered entry{{
    .collective = Collective::barrier,
    .name = "recursive_doubling",
    .summary = "Partners at distance 1, 2, 4, .. signal each other.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.5; Wilkins et al. 2023",
    .parameters = {radix_parameter()},
    .common = true,
    .claims = [](const Choice& choice) -> Claims {
      const FactorFormulas factors(radix_of(choice));
      return {.rounds = factors.rounds + 2 * factors.folded,
              .volume = 0,
              .ports = radix_of(choice) - 1};
    },
    .schedule = [](const Problem& x) { return recursive_doubling(x.group, radix_of(*x.choice)); },
}};

}  // namespace
}  // namespace roundelay
