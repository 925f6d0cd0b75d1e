// SPDX-License-Identifier: Apache-2.0
// allreduce.circulant: every rank collects its block from ever more ranks before it, then the
// blocks go the same way back.
//
// Traff 2024, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms (arXiv:2410.14234).
// 2 ceil(log2 p) rounds, 2 m (p - 1) / p units each way, for every p: each half takes as few of
// either as any algorithm can. Ranks are combined as they come: for commutative operations. Each
// block is finished by one rank: the same bits everywhere.
//
// For even p there are other skips for long messages, see best_skips().
//
//   p = 5, rank 2:   skips 3, 2, 1
//     round 0: sends blocks 0 1 to 0, receives 2 3 from 4 and combines
//     round 1: sends block  4   to 4, receives 2   from 0 and combines
//     round 2: sends block  3   to 3, receives 2   from 1 and combines: block 2 is done
//     round 3: sends block  2   to 1, receives 3   from 3
//     round 4: sends block  2   to 0, receives 4   from 4
//     round 5: sends blocks 2 3 to 4, receives 0 1 from 0
#include "algorithms/parts/circulant.hpp"

#include <cstdint>

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

// The values of the parameter.
enum class CirculantGraph : std::uint8_t { best, halving, unpaired };

Skips skips_of(const Choice& choice, const Dimensions& of) {
  switch (static_cast<CirculantGraph>(choice.number(0))) {
    case CirculantGraph::halving: return Skips::halving(of.p);
    case CirculantGraph::unpaired: return Skips::unpaired(of.p);
    default: return best_skips(of);
  }
}

Formula rounds_of(const Choice& choice) {
  switch (static_cast<CirculantGraph>(choice.number(0))) {
    case CirculantGraph::halving: return ceil_log2(p());
    case CirculantGraph::unpaired:
      return Formula::of_ranks("rounds_of_unpaired_skips(p)",
                               [](int p) { return 0.0 + Skips::unpaired(p).rounds(); });
    default: return rounds_of_best_skips();
  }
}

Schedule circulant(Group g, Slice input, Blocks data, Slice scratch, Skips skip) {
  if (input != data.whole()) co_yield round(copy(input, data.whole()));
  co_yield all(circulant_reduce_scatter(g, data, scratch, skip));
  co_yield all(circulant_allgather(g, data, skip));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "circulant",
    .summary = "Each rank combines its block from more and more ranks before it; then the results "
               "go back the same way.",
    .paper = "Traff 2024, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms",
    .restrictions = {Restriction::commutative},
    .parameters = {{.name = "skips",
                    .summary =
                        "the distances: halving: p halved again and again; unpaired: never p / 2",
                    .kind = Parameter::Kind::word,
                    .words = {"auto", "halving", "unpaired"},
                    .standard = "auto"}},
    .claims = [](const Choice& choice) -> Claims {
      const Formula q = rounds_of(choice);
      const Formula once = m() * (p() - 1) / p();
      return {.scratch = if_many(min(m(), floor(p() / 2) * ceil(m() / p()))),
              .rounds = 2 * q,
              .volume = 2 * once,
              .symmetric = true};
    },
    .schedule =
        [](const Problem& x) {
          const Dimensions of{
              .p = x.group.size, .m = static_cast<double>(x.data.length()), .network = x.network};
          return circulant(x.group, x.input, Blocks::even(x.data, of.p), x.scratch,
                           skips_of(*x.choice, of));
        },
}};

}  // namespace
}  // namespace roundelay
