// SPDX-License-Identifier: Apache-2.0
// allgather.circulant: all ranks broadcast at once on one circulant graph, n blocks each, packed
// into one message a round.
//
// Traff 2024, Optimal broadcast schedules in logarithmic time, algorithm 7, and for n = 1 the same
// author's non-pipelined schedules. n - 1 + ceil(log2 p) rounds, m (p - 1) / p units each way where
// contributions are alike: then n = 1 is best. Where one rank contributes most, about as long as a
// broadcast of that. Keeps p ceil(log2 p) bytes for each communicator if n > 1.
//
//   p = 5, n = 1, rank 2:   skips 1, 2, 3
//     round 0: sends block  2   to 1, receives 3   from 3
//     round 1: sends block  2   to 0, receives 4   from 4
//     round 2: sends blocks 2 3 to 4, receives 0 1 from 0
#include "algorithms/parts/circulant.hpp"

#include <memory>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pipeline.hpp"

namespace roundelay {
namespace {

// Rank j is the root of its own broadcast, in which rank r is v = r - j. What r sends is what the
// rank that it sends to receives.
Schedule pipelined(Group g, Blocks out, int n, std::shared_ptr<const CirculantTable> table) {
  const int p = g.size;
  const int r = g.rank;
  const Skips skip = Skips::halving(p);
  const Pipeline pipeline(p, n);
  SliceRoom sent;
  SliceRoom received;
  for (int i = pipeline.begin(); i < pipeline.end(); ++i) {
    const int k = pipeline.skip(i);
    const int to = r + skip[k] < p ? r + skip[k] : r + skip[k] - p;
    sent.clear();
    received.clear();
    co_yield round(send(all_roots(out, n, pipeline, *table, i, to, sent), g[to]),
                   recv(all_roots(out, n, pipeline, *table, i, r, received), g[r - skip[k]]));
  }
}

Schedule circulant(const Problem& x) {
  const int p = x.group.size;
  const AllRoots cut = cut_of_all_roots(x);
  if (cut.n == 1 || p == 1) return circulant_allgather(x.group, x.blocks, cut.skip);
  return pipelined(x.group, x.blocks, cut.n, CirculantMemo::table(x.memo, p));
}

const Registered entry{
    {.collective = Collective::allgather,
     .name = "circulant",
     .summary = "All ranks broadcast their blocks at once on one circulant graph, with one message "
                "per round.",
     .paper = "Traff 2024, Optimal broadcast schedules in logarithmic time, algorithm 7",
     .parameters = {blocks_parameter()},
     .claims = [](const Choice& choice) -> Claims {
       const Formula rounds = rounds_of_all_roots(choice);
       return {.rounds = rounds, .volume = m() * (p() - 1) / p(), .symmetric = true};
     },
     .schedule = circulant},
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
