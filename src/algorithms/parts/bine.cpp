// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/bine.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "algorithms/parts/piecewise.hpp"

namespace roundelay {

namespace {

// A step in a dimension, whose ranks are `stride` apart.
struct Hop {
  int length;
  int stride;
  int distance;
};

std::vector<Hop> hops(const std::vector<int>& lengths, int dimension) {
  std::vector<Hop> all;
  const int dimensions = static_cast<int>(lengths.size());
  for (int s = 0, added = 1; added > 0; ++s) {
    added = 0;
    for (int i = 0; i < dimensions; ++i) {
      const int which = (dimension + i) % dimensions;
      const int length = lengths[static_cast<std::size_t>(which)];
      if (1 << s >= length) continue;
      int stride = 1;
      for (int j = 0; j < which; ++j) stride *= lengths[static_cast<std::size_t>(j)];
      all.push_back({length, stride, bine_distance(s)});
      ++added;
    }
  }
  std::ranges::reverse(all);
  return all;
}

}  // namespace

Claims bine_tree_claims() {
  return {.scratch = if_many(m()), .rounds = ceil_log2(p()), .volume = m() * (p() - 1) / p()};
}

// An offset is where a block's owner is, seen from who holds it: the other way round from odd ranks
// of a dimension. All ranks hold blocks at the same offsets, and seen from a partner offset y is
// the distance less y.
std::vector<ButterflyStep> torus_butterfly(int rank, const std::vector<int>& lengths, int dimension,
                                           bool mirrored) {
  int p = 1;
  for (const int length : lengths) p *= length;
  std::vector<int> offset(static_cast<std::size_t>(p));
  int stride = 1;
  const auto sign = [&](int x) { return (x % 2 == 0) != mirrored ? 1 : -1; };
  for (const int length : lengths) {
    const int x = rank / stride % length;
    for (int c = 0; c < p; ++c) {
      offset[static_cast<std::size_t>(c)] +=
          modulo(sign(x) * (c / stride % length - x), length) * stride;
    }
    stride *= length;
  }
  std::vector<bool> held(offset.size());
  held[0] = true;
  std::vector<ButterflyStep> steps;
  for (const Hop& hop : hops(lengths, dimension)) {
    const auto turned = [&](int at, int by) {  // `by` less the offset in this dimension
      const int y = at / hop.stride % hop.length;
      return at + (modulo(by - y, hop.length) - y) * hop.stride;
    };
    ButterflyStep& step = steps.emplace_back();
    const int x = rank / hop.stride % hop.length;
    step.partner = rank + (modulo(x + sign(x) * hop.distance, hop.length) - x) * hop.stride;
    std::vector<bool> then = held;
    for (int c = 0; c < p; ++c) {
      const auto mine = static_cast<std::size_t>(offset[static_cast<std::size_t>(c)]);
      const auto theirs = static_cast<std::size_t>(turned(static_cast<int>(mine), hop.distance));
      if (held[mine] && !held[theirs]) step.sent.push_back(c);
      if (!held[mine] && held[theirs]) {
        step.received.push_back(c);
        then[mine] = true;
      }
    }
    held = std::move(then);
  }
  return steps;
}

Slices blocks_of(const std::vector<int>& ranks, int pairs, const Blocks& blocks, SliceRoom& room,
                 Share share) {
  Slices slices;
  room.clear();
  for (const int v : ranks) {
    for (int i = first_block(v, pairs); i < first_block(v + 1, pairs); ++i) {
      const Slice block = blocks[i];
      const Units from = block.length() * share.which / share.of;
      const Units to = block.length() * (share.which + 1) / share.of;
      slices.add(block.part(from, to - from), room);
    }
  }
  return slices;
}

Schedule fold_odd(Group g, Slice data, Slice scratch) {
  if (g.size % 2 == 0 || g.rank > 1) co_return;
  if (g.rank == 1) {
    co_yield round(send(data, g[0]));
  } else {
    const Slice theirs = scratch.part(0, data.length());
    co_yield round(recv(theirs, g[1]), combine(theirs, data));
  }
}

Schedule unfold_odd(Group g, Slice result) {
  if (g.size % 2 == 0 || g.rank > 1) co_return;
  if (g.rank == 1) {
    co_yield round(recv(result, g[0]));
  } else {
    co_yield round(send(result, g[1]));
  }
}

Schedule butterfly_allgather(Group t, Blocks out, int pairs, std::vector<ButterflyStep> steps) {
  SliceRoom sent;
  SliceRoom received;
  for (const ButterflyStep& step : steps) {
    co_yield round(send(blocks_of(step.sent, pairs, out, sent), t[step.partner]),
                   recv(blocks_of(step.received, pairs, out, received), t[step.partner]));
  }
}

Schedule butterfly_reduce_scatter(Group t, Blocks data, int pairs, Slice scratch,
                                  std::vector<ButterflyStep> steps) {
  SliceRoom sent;
  SliceRoom into;
  RoundList list;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const Slices mine = blocks_of(step->sent, pairs, data, into);
    const Slice theirs = scratch.part(0, mine.length());
    list.clear()
        .add(send(blocks_of(step->received, pairs, data, sent), t[step->partner]))
        .add(recv(theirs, t[step->partner]));
    combine_piecewise(list, theirs, mine);
    co_yield list;
  }
}

Formula if_even(const Formula& then, const Formula& otherwise) {
  return Formula::of(then.text() + " if p is even, else " + otherwise.text(),
                     [=](const Dimensions& of) -> double {
                       if (of.p == 1) return 0;
                       return of.p % 2 == 0 ? then(of) : otherwise(of);
                     });
}

Formula butterfly_rounds(int times) {
  return if_even(times * ceil_log2(p()), times * ceil_log2(p() - 1) + 2);
}

Formula butterfly_sends() {
  return Formula::of_ranks("blocks_of_rank_0(p)", [](int p) -> double {
    int blocks = 0;
    for (const ButterflyStep& step : butterfly(0, p - 1)) {
      for (const int v : step.sent) blocks += first_block(v + 1, 1) - first_block(v, 1);
    }
    return blocks;
  });
}

}  // namespace roundelay
