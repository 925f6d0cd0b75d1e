// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/bine.hpp"

#include <bit>
#include <cstddef>
#include <utility>

#include "algorithms/parts/piecewise.hpp"

namespace roundelay {

Claims bine_tree_claims() {
  return {.scratch = if_many(m()), .rounds = ceil_log2(p()), .volume = m() * (p() - 1) / p()};
}

TorusButterfly::TorusButterfly(int rank, std::vector<int> lengths, int dimension, bool mirrored)
    : rank_(rank), lengths_(std::move(lengths)), mirrored_(mirrored), hops_(hops(dimension)) {
  std::size_t p = 1;
  for (const int length : lengths_) p *= static_cast<std::size_t>(length);
  is_held_.resize(p);
  is_held_[0] = true;
  marks_.resize(p / word + 1);
  for (const int length : lengths_) {
    at_.push_back(rank % length);
    rank /= length;
  }
}

std::vector<TorusButterfly::Hop> TorusButterfly::hops(int dimension) const {
  std::vector<Hop> all;
  const int dimensions = static_cast<int>(lengths_.size());
  for (int s = 0, added = 1; added > 0; ++s) {
    added = 0;
    for (int i = 0; i < dimensions; ++i) {
      const int which = (dimension + i) % dimensions;
      const int length = lengths_[static_cast<std::size_t>(which)];
      if (1 << s >= length) continue;
      int stride = 1;
      for (int j = 0; j < which; ++j) stride *= lengths_[static_cast<std::size_t>(j)];
      all.push_back({length, stride, bine_distance(s)});
      ++added;
    }
  }
  return all;
}

int TorusButterfly::owner(int offset) const noexcept {
  int owner = 0;
  int stride = 1;
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const int length = lengths_[i];
    const int x = at_[i];
    const bool is_last = i + 1 == lengths_.size();
    owner += wrap(x + sign(x) * (is_last ? offset : offset % length), length) * stride;
    stride *= length;
    if (!is_last) offset /= length;
  }
  return owner;
}

std::vector<int> TorusButterfly::owners(std::span<const int> offsets) {
  for (const int offset : offsets) {
    const int rank = owner(offset);
    marks_[static_cast<std::size_t>(rank / word)] |= std::uint64_t{1} << rank % word;
  }
  std::vector<int> ascending;
  ascending.reserve(offsets.size());
  for (int i = 0; i < std::ssize(marks_); ++i) {
    std::uint64_t& marks = marks_[static_cast<std::size_t>(i)];
    for (; marks != 0; marks &= marks - 1) {
      ascending.push_back(word * i + std::countr_zero(marks));
    }
  }
  return ascending;
}

std::optional<ButterflyStep> TorusButterfly::next() {
  if (hops_.empty()) return std::nullopt;
  const Hop hop = hops_.back();
  hops_.pop_back();
  ButterflyStep step;
  const int x = rank_ / hop.stride % hop.length;
  step.partner = rank_ + (wrap(x + sign(x) * hop.distance, hop.length) - x) * hop.stride;
  const int distance = wrap(hop.distance, hop.length);
  const std::size_t before = held_.size();
  std::vector<int> given;
  for (std::size_t i = 0; i < before; ++i) {
    // Seen from the partner, offset y of this dimension is the distance less y.
    const int mine = held_[i];
    const int y = mine / hop.stride % hop.length;
    const int theirs = mine + (wrap(distance - y, hop.length) - y) * hop.stride;
    if (is_held_[static_cast<std::size_t>(theirs)]) continue;
    // The partner misses it, and has the one that this rank misses at that offset.
    given.push_back(mine);
    is_held_[static_cast<std::size_t>(theirs)] = true;
    held_.push_back(theirs);
  }
  step.sent = owners(given);
  step.received = owners(std::span(held_).subspan(before));
  return step;
}

std::vector<ButterflyStep> TorusButterfly::rest() {
  std::vector<ButterflyStep> steps;
  while (auto step = next()) steps.push_back(std::move(*step));
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

Schedule butterfly_allgather(Group t, Blocks out, int pairs, TorusButterfly steps) {
  SliceRoom sent;
  SliceRoom received;
  while (const auto step = steps.next()) {
    co_yield round(send(blocks_of(step->sent, pairs, out, sent), t[step->partner]),
                   recv(blocks_of(step->received, pairs, out, received), t[step->partner]));
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
    for (const ButterflyStep& step : butterfly(0, p - 1).rest()) {
      for (const int v : step.sent) blocks += first_block(v + 1, 1) - first_block(v, 1);
    }
    return blocks;
  });
}

}  // namespace roundelay
