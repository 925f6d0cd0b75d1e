// SPDX-License-Identifier: Apache-2.0
// allgather.inter_full: each sender broadcasts its block to every p-th receiver, then groups of p
// ranks, which have all blocks together, gather them.
//
// Kang et al., section III (fully connected). From p senders to q receivers, any p and q. Where p
// does not divide q, the last group has too few receivers: senders that would be idle fill it up,
// and get blocks that they do not use, because the allgather may be any among p ranks.
// Broadcasts to at most ceil(q / p) receivers each, then an allgather among p: about m units
// through every link, where gathering at a root, sending and broadcasting takes 4 m through one.
//
//   p = 3, q = 4 (senders 0 1 2, receivers 3 4 5 6):
//     broadcasts:   0 -> 3 6   1 -> 4   2 -> 5
//     allgathers:   3 4 5      6 1 2
#include <algorithm>
#include <array>

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

// Whether the broadcast is made of others, which may leave transfers to the end.
bool is_composed(const Choice& bcast) {
  return !bcast.values.empty() && bcast.values.front().algorithm != nullptr;
}

Schedule inter_full(Problem x) {
  const int r = x.group.rank;
  const int p = x.senders;
  const int q = x.group.size - p;
  const bool sends = r < p;
  const int i = r % p;
  const Units length = sends ? x.blocks.whole().length() : 0;
  // A broadcast may write at its root, and senders that fill up receive: not in the input.
  const Blocks held = sends ? x.blocks.over(x.scratch.part(0, length)) : x.blocks;
  const Slice own = sends ? held[i] : Slice();
  co_yield round(copy(x.input, own));

  Problem stage{
      .data = held[i], .scratch = after(x.scratch, length), .network = x.network, .memo = x.memo};
  const Subgroup audience = x.group.strided(i, p, (p + q - 1 - i) / p + 1);
  stage.group = audience;
  stage.choice = &x.choice->nested(0);
  co_yield all(stage.choice->schedule(stage));
  if (is_composed(*stage.choice)) co_yield fence(at_the_end);

  const int number = sends ? q / p : (r - p) / p;
  const int receivers = std::min(p, q - number * p);
  if (sends && (receivers == 0 || r < receivers)) co_return;
  const Subgroup gathering = x.group.replaced(receivers, p + number * p, p);
  stage.group = gathering;
  stage.blocks = held;
  stage.choice = &x.choice->nested(1);
  co_yield all(stage.choice->schedule(stage));
}

Claims inter_full_claims(const Choice& choice) {
  const Claims bcast = choice.nested(0).claims();
  const Claims allgather = choice.nested(1).claims();
  const Formula most = ceil(q() / p()) + 1;
  const auto among = [](const Formula& claim, const Formula& ranks) {
    return Formula::of_even_part(claim, ranks, longest_block());
  };
  const auto broadcast = [&](const Formula& claim) {
    if (!is_composed(choice.nested(0))) {
      // A block that is shorter by one may be cut into fewer pieces.
      return max(Formula::of_part(claim, most, longest_block()),
                 Formula::of_part(claim, most, longest_block(), floor(m() / p())));
    }
    // Blocks are cut once more, and some allgathers take less among one rank more.
    return max(among(claim, most), among(claim, most - 1));
  };
  return {.scratch = m() + max(broadcast(bcast.scratch), allgather.scratch),
          .rounds = broadcast(bcast.rounds) + allgather.rounds,
          .volume = broadcast(bcast.volume) + allgather.volume,
          .ports = max(broadcast(bcast.ports), allgather.ports),
          .at_most = true};
}

Algorithm algorithm(Collective collective) {
  return {.collective = collective,
          .name = "inter_full",
          .summary =
              "Each sender broadcasts its block to every p-th receiver; then groups of p ranks "
              "gather all blocks.",
          .paper =
              "Kang et al., Optimal algorithms for half-duplex inter-group all-to-all broadcast, "
              "section III",
          .groups = Groups::two,
          .parameters = {{.name = "bcast",
                          .summary = "how a block is broadcast to its receivers",
                          .kind = Parameter::Kind::algorithm,
                          .collective = Collective::bcast,
                          .standard = "circulant"},
                         {.name = "allgather",
                          .summary = "how the groups gather the blocks",
                          .kind = Parameter::Kind::algorithm,
                          .collective = collective,
                          .standard = "bruck"}},
          .redundant = true,
          .claims = inter_full_claims,
          .schedule = [](const Problem& x) { return inter_full(x); }};
}

const std::array entry{Registered{algorithm(Collective::allgather)},
                       Registered{algorithm(Collective::allgatherv)}};

}  // namespace
}  // namespace roundelay
