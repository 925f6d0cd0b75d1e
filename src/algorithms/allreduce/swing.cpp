// SPDX-License-Identifier: Apache-2.0
// allreduce.swing: on a torus, all dimensions and both directions at once share out parts of the
// message, first with near ranks, and gather them the same way back.
//
// De Sensi et al. 2024, Swing: Short-cutting Rings for Higher Bandwidth Allreduce (NSDI'24). The
// message is cut into two parts for each dimension. Each goes the way of allreduce.bine, but every
// step is in the next dimension, and the two parts begin in the same dimension to different sides:
// so all links of a rank are used at once. 2 log2 p rounds of 2 D messages in D dimensions, and
// 2 m (p - 1) / p units each way, most of it over one link. The torus has x ranks in the first
// dimension, y, z, u and v in the next ones, and the others in the last. Where these numbers are
// not even or do not divide p, it is a ring of all ranks; of an odd p rank 1 folds to rank 0 before
// and after, two rounds and 2 m units more. Ranks are combined as they are met: for commutative
// operations. Each block is finished by one rank: the same bits everywhere.
//
//   p = 6, rank 0, a ring, parts a and b:   round 0: 1a 4a to 1, 2b 5b to 5
//                                           round 1: 2a 5a to 5, 1b 4b to 1
//                                           round 2: 3a 3b to 3; then all the way back
//   p = 8, x = 2, rank 0, parts a to d:     round 0: half of a and b to 1 (x), of c to 2 (y), d to
//   6
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/bine.hpp"
#include "algorithms/parts/piecewise.hpp"

namespace roundelay {
namespace {

// The lengths of the dimensions of n ranks, n even, that are more than 1.
std::vector<int> torus(int n, const Choice& choice) {
  std::vector<int> lengths;
  int rest = n;
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    const auto length = static_cast<int>(choice.number(i));
    if (length > 1) lengths.push_back(length);
    rest = rest % length == 0 ? rest / length : 1;
  }
  if (rest > 1) lengths.push_back(rest);
  int product = 1;
  bool even = true;
  for (const int length : lengths) {
    product *= length;
    even = even && length % 2 == 0;
  }
  return even && product == n ? lengths : std::vector<int>{n};
}

// Among an even number of ranks, which have `blocks`; of an odd one these are the folded ranks.
Schedule among_even(Group t, Blocks blocks, int pairs, Slice scratch, const Choice& choice) {
  const std::vector<int> lengths = torus(t.size, choice);
  const int parts = 2 * static_cast<int>(lengths.size());
  std::vector<std::vector<ButterflyStep>> steps;
  for (int j = 0; j < parts; ++j) {
    steps.push_back(TorusButterfly(t.rank, lengths, j / 2, j % 2 == 1).rest());
  }
  const auto rounds = steps.front().size();
  std::vector<SliceRoom> rooms(2 * steps.size());
  RoundList list;
  for (std::size_t i = 0; i < 2 * rounds; ++i) {
    const bool combines = i < rounds;  // then it gathers
    list.clear();
    Units at = 0;
    for (int j = 0; j < parts; ++j) {
      const auto part = static_cast<std::size_t>(j);
      const ButterflyStep& step = steps[part][combines ? rounds - 1 - i : i - rounds];
      const Slices out = blocks_of(step.sent, pairs, blocks, rooms[2 * part], {j, parts});
      const Slices in = blocks_of(step.received, pairs, blocks, rooms[2 * part + 1], {j, parts});
      const int partner = t[step.partner];
      list.add(send(combines ? in : out, partner));
      if (!combines) {
        list.add(recv(in, partner));
        continue;
      }
      const Slice arriving = scratch.part(at, out.length());
      at += out.length();
      list.add(recv(arriving, partner));
      combine_piecewise(list, arriving, out);
    }
    co_yield list;
  }
}

Schedule swing(Group g, Slice input, Slice data, Slice scratch, const Choice& choice) {
  if (input != data) co_yield round(copy(input, data));
  if (g.size == 1) co_return;
  co_yield all(fold_odd(g, data, scratch));
  if (!is_folded_away(g)) {
    const int pairs = g.size % 2;
    const Subgroup t = g.folded(pairs, 0);
    co_yield all(among_even(t, Blocks::even(data, g.size), pairs, scratch, choice));
  }
  co_yield all(unfold_odd(g, data));
}

Parameter dimension(std::string_view name, std::string_view summary, std::int64_t tried,
                    int number) {
  return {.name = name,
          .summary = summary,
          .least = 1,
          .most = 1024,
          .standard = "1",
          .tried = {tried},
          .dimension = number};
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "swing",
    .summary = "On a torus, partners combine and then gather parts of the message in all "
               "dimensions and both directions at once, near partners first.",
    .paper = "De Sensi et al. 2024, Swing: Short-cutting Rings for Higher Bandwidth Allreduce",
    .restrictions = {Restriction::commutative},
    .parameters = {dimension("x", "ranks in the first dimension of the torus", 2, 1),
                   dimension("y", "ranks in the second dimension", 1, 2),
                   dimension("z", "ranks in the third dimension", 1, 3),
                   dimension("u", "ranks in the fourth dimension", 1, 4),
                   dimension("v", "ranks in the fifth dimension; the sixth has the rest", 1, 5)},
    .claims = [](const Choice& choice) -> Claims {
      const auto of = [choice](const char* name, int (*function)(const std::vector<int>&)) {
        return Formula::of(name, [=](const Dimensions& x) -> double {
          return x.p < 2 ? 0 : function(torus(x.p - x.p % 2, choice));
        });
      };
      const Formula rounds = 2 * of("steps_of_torus(p)", [](const std::vector<int>& lengths) {
                               return static_cast<int>(TorusButterfly(0, lengths).rest().size());
                             });
      const Formula parts = of("parts", [](const std::vector<int>& lengths) {
        return 2 * static_cast<int>(lengths.size());
      });
      return {.scratch = if_many(m()),
              .rounds = rounds + if_even(Formula(0), Formula(2)),
              .volume = m() / p() * if_even(2 * (p() - 1), 2 * (p() - 1) + butterfly_sends()),
              .ports = parts};
    },
    .schedule =
        [](const Problem& x) { return swing(x.group, x.input, x.data, x.scratch, *x.choice); },
}};

}  // namespace
}  // namespace roundelay
