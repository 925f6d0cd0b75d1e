// SPDX-License-Identifier: Apache-2.0
// alltoall.bine: blocks pass through a butterfly, in every step all that cannot get on without it.
//
// De Sensi et al. 2025, Bine Trees (SC'25, arXiv:2508.17311), the butterfly of allgather.bine. For
// even p ceil(log2 p) rounds of about m / 2 units, as bruck, over 2/3 of the distance: for short
// blocks, and networks whose groups of nodes have few links between them. A block goes to a partner
// if its rank cannot be reached by the partners of later steps alone, which also does where p is no
// power of two. Of an odd p the last rank exchanges its blocks with all others before.
//
//   p = 6, rank 0:   round 0: sends those for 2 3 to 3, receives from 3 those for 0 1
//                    round 1: sends those for 4 5 to 5, receives from 5 those for 0 1
//                    round 2: sends those for 1   to 1, receives from 1 those for 0
#include "algorithms/parts/bine.hpp"

#include <algorithm>

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

// By offsets, which are where other ranks are, seen from this one: from an odd rank, the other way
// round. All ranks hold blocks of the same offsets, in the same order.
struct Held {
  enum class Place : std::uint8_t { given, first, second, arrived };

  int source = 0;
  int target = 0;
  Place place = Place::given;
};

// One step: over which distance, and what need not go there.
struct Step {
  int distance = 0;
  std::vector<bool> stays;  // by the offset of the target
};

std::vector<Step> steps_of(int n) {
  std::vector<Step> steps;
  std::vector<bool> reached(static_cast<std::size_t>(n));
  reached[0] = true;
  for (int s = 0; 1 << s < n; ++s) {
    steps.push_back({bine_distance(s), reached});
    for (int y = 0; y < n; ++y) {
      const auto turned = static_cast<std::size_t>(modulo(bine_distance(s) - y, n));
      if (steps.back().stays[static_cast<std::size_t>(y)]) reached[turned] = true;
    }
  }
  std::ranges::reverse(steps);
  return steps;
}

// Of an even number of ranks.
Schedule butterfly(Group t, Blocks given, Blocks out, Slice scratch) {
  const int n = t.size;
  const int sign = t.rank % 2 == 0 ? 1 : -1;
  const auto rank_at = [&](int offset) { return modulo(t.rank + sign * offset, n); };
  const Units length = out[t.rank].length();
  // What is in the place of a block that goes is received into the other of its two rooms.
  const auto room = [&](std::size_t i, bool second) {
    return scratch.part((2 * static_cast<Units>(i) + (second ? 1 : 0)) * length, length);
  };
  std::vector<Held> all(static_cast<std::size_t>(n));
  for (int y = 0; y < n; ++y) all[static_cast<std::size_t>(y)].target = y;
  co_yield round(copy(given[t.rank], out[t.rank]));
  SliceRoom sent;
  SliceRoom received;
  for (const Step& step : steps_of(n)) {
    sent.clear();
    received.clear();
    Slices going;
    Slices coming;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Held& held = all[i];
      if (step.stays[static_cast<std::size_t>(held.target)]) continue;
      const bool second = held.place == Held::Place::first;
      going.add(held.place == Held::Place::given ? given[rank_at(held.target)] : room(i, !second),
                sent);
      held = {modulo(step.distance - held.source, n), modulo(step.distance - held.target, n),
              second ? Held::Place::second : Held::Place::first};
      if (held.target == 0) held.place = Held::Place::arrived;
      coming.add(held.target == 0 ? out[rank_at(held.source)] : room(i, second), received);
    }
    const int partner = t[rank_at(modulo(step.distance, n))];
    co_yield round(send(going, partner), recv(coming, partner));
  }
}

Schedule bine(Group g, Blocks given, Blocks out, Slice scratch) {
  const int last = g.size - 1;
  if (g.size % 2 == 1) {
    RoundList list;
    const int first = g.rank == last ? 0 : last;
    for (int i = first; i < (g.rank == last ? last : g.size); ++i) {
      list.add(send(given[i], g[i])).add(recv(out[i], g[i]));
    }
    if (g.rank == last) list.add(copy(given[last], out[last]));
    co_yield list;
    if (g.rank == last) co_return;
  }
  const Subgroup t = g.strided(0, 1, g.size - g.size % 2);
  co_yield all(butterfly(t, given, out, scratch));
}

// Blocks that a rank of the butterfly sends.
int blocks_sent(int n) {
  std::vector<int> held(static_cast<std::size_t>(n), 1);
  int sent = 0;
  for (const Step& step : steps_of(n)) {
    for (std::size_t y = 0; y < held.size(); ++y) {
      if (step.stays[y]) continue;
      sent += held[y];
      held[static_cast<std::size_t>(modulo(step.distance - static_cast<int>(y), n))] += held[y];
      held[y] = 0;
    }
  }
  return sent;
}

const Registered entry{{
    .collective = Collective::alltoall,
    .name = "bine",
    .summary = "Blocks pass through a butterfly; in each step a rank sends those that no later "
               "step can bring to their destination.",
    .paper = "De Sensi et al. 2025, Bine Trees: Enhancing Collective Operations by Optimizing "
             "Communication Locality",
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula sent = Formula::of_ranks("blocks_through_butterfly(p)", [](int p) -> double {
        return p == 1 ? 0 : blocks_sent(p - p % 2);
      });
      return {.scratch = 2 * m(),
              .rounds = if_even(ceil_log2(p()), ceil_log2(p() - 1) + 1),
              .volume = m() / p() * if_even(sent, max(sent + 1, p() - 1)),
              .ports = max(1, if_even(Formula(1), p() - 1))};
    },
    .schedule = [](const Problem& x) { return bine(x.group, x.given, x.blocks, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
