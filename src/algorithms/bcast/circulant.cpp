// SPDX-License-Identifier: Apache-2.0
// bcast.circulant: n blocks follow each other through a circulant graph, in as few rounds as can
// be.
//
// Traff 2024, Optimal broadcast schedules in logarithmic time, algorithm 6. n - 1 + ceil(log2 p)
// rounds of m / n units for every p; every rank but the root receives m units. With the best n
// about (sqrt((q - 1) alpha) + sqrt(m beta))^2, q = ceil(log2 p): for long messages.
//
//   p = 5, n = 3, root 0:   round 0: 0 -> 1 (0)
//                           round 1: 0 -> 2 (1)   1 -> 3 (0)
//                           round 2: 0 -> 3 (2)   1 -> 4 (0)
//                           round 3: 0 -> 1 (1)   1 -> ..
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pipeline.hpp"

namespace roundelay {

// In the paper's letters: v counts from the root, in round i it sends block s to v + skip[k] and
// receives block r from v - skip[k].
Schedule circulant_bcast(Group g, int root, Blocks blocks, Memo* memo) {
  const Subgroup t = g.rooted(root);
  const int v = t.rank;
  const CirculantRow row = CirculantMemo::row(memo, t.size, v);
  const Skips skip = Skips::halving(t.size);
  const Pipeline pipeline(t.size, blocks.size());
  for (int i = pipeline.begin(); i < pipeline.end(); ++i) {
    const int k = pipeline.skip(i);
    const int s = pipeline.block(row.send[static_cast<std::size_t>(k)], i);
    const int r = pipeline.block(row.receive[static_cast<std::size_t>(k)], i);
    // The root has everything.
    const bool sends = s >= 0 && v + skip[k] != t.size;
    const bool receives = r >= 0 && v != 0;
    // Not within co_yield: GCC 12 evaluates both sides of a choice there.
    const Slice sent = sends ? blocks[s] : Slice();
    const Slice received = receives ? blocks[r] : Slice();
    co_yield round(send(sent, t[v + skip[k]]), recv(received, t[v - skip[k]]));
  }
}

namespace {

const Registered entry{{
    .collective = Collective::bcast,
    .name = "circulant",
    .summary = "The message is cut into blocks, which follow each other through a circulant graph "
               "in as few rounds as possible.",
    .paper = "Traff 2024, Optimal broadcast schedules in logarithmic time, algorithm 6",
    .parameters = {blocks_parameter()},
    .claims = [](const Choice& choice) -> Claims {
      const Formula n = blocks_formula(choice, whole_message);
      const Formula rounds = if_many(n - 1 + ceil_log2(p()));
      const Formula moved = rounds * m() / n;
      return {.rounds = rounds, .volume = moved};
    },
    .schedule =
        [](const Problem& x) {
          return circulant_bcast(x.group, x.root, pipeline_blocks(x), x.memo);
        },
}};

}  // namespace
}  // namespace roundelay
