// SPDX-License-Identifier: Apache-2.0
#include "interpret/block_lengths.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace roundelay::interpret {

namespace {

Units weight(Distribution distribution, int i, int p) {
  switch (distribution) {
    case Distribution::even: return 1;
    case Distribution::uneven: return i % 3;
    case Distribution::degenerate: return i == p / 2 ? 1 : 0;
  }
  return 0;
}

// The block in the middle is of that length.
std::vector<Units> with_one_longest(Units m, Units longest, int count) {
  std::vector<Units> lengths;
  const Units others = std::max(1, count - 1);
  const Units rest = m - longest;
  for (int i = 0; i < count; ++i) {
    const int before = i > count / 2 ? i - 1 : i;
    lengths.push_back(i == count / 2 ? longest : rest / others + (before < rest % others ? 1 : 0));
  }
  return lengths;
}

// What is left over goes to the last ranks that have any, or to the last of all.
std::vector<Units> in_proportion(Units m, Distribution distribution, int count) {
  std::vector<Units> lengths;
  for (int i = 0; i < count; ++i) lengths.push_back(weight(distribution, i, count));
  const Units whole = std::reduce(lengths.begin(), lengths.end());
  if (whole != 0) {
    for (Units& length : lengths) length *= m / whole;
  }
  Units rest = whole == 0 ? m : m % whole;
  const auto last = static_cast<std::size_t>(count);
  for (std::size_t i = last; rest > 0; i = i > 1 ? i - 1 : last) {
    if (whole != 0 && lengths[i - 1] == 0 && m >= whole) continue;
    ++lengths[i - 1];
    --rest;
  }
  return lengths;
}

}  // namespace

BlockLengths::BlockLengths(const Choice& choice, const Case& of)
    : count_(facts_of(choice.algorithm->collective).cut == roundelay::Cut::by_receiver
                 ? of.receivers()
                 : of.p) {
  const Collective collective = choice.algorithm->collective;
  const bool any_lengths = irregular(collective);
  const Distribution distribution = any_lengths ? of.distribution : Distribution::even;
  if (among_neighbours(collective)) {
    cut_by_edges(of, distribution, sends_one_block(collective));
  } else if (exchanges(collective)) {
    const bool asks = choice.algorithm->needs_rows && any_lengths;
    // Else cut evenly, without p^2 lengths.
    if (distribution != Distribution::even || asks) cut_by_pairs(of, distribution);
  } else if (any_lengths) {
    rows_.emplace_back(of.longest > 0 ? with_one_longest(of.m, of.longest, count_)
                                      : in_proportion(of.m, distribution, count_));
  }
}

void BlockLengths::cut_by_pairs(const Case& of, Distribution distribution) {
  // How many times m / p units rank i has for rank j.
  const auto times = [&](int i, int j) {
    if (distribution == Distribution::uneven) {
      // In place both have the same, so that they can be exchanged.
      return weight(distribution, of.in_place ? i + j : i + 2 * j, of.p);
    }
    const Units own = weight(distribution, i, of.p);
    return of.in_place ? std::max(own, weight(distribution, j, of.p)) : own;
  };
  for (int i = 0; i < of.p; ++i) {
    std::vector<Units> row;
    std::vector<Units> column;
    for (int j = 0; j < of.p; ++j) {
      row.push_back(times(i, j) * (of.m / of.p));
      column.push_back(times(j, i) * (of.m / of.p));
    }
    rows_.emplace_back(std::move(row));
    columns_.emplace_back(std::move(column));
  }
}

// Of what goes along each edge of a graph, at both ends. A block that no edge has is empty.
void BlockLengths::cut_by_edges(const Case& of, Distribution distribution, bool one_block) {
  const Graph& graph = *of.graph;
  const auto length = [&](int rank, Edge along) {
    const bool differs = distribution == Distribution::uneven && !one_block;
    const int which = differs ? rank + 2 * along.peer + along.block : rank;
    return weight(distribution, which, of.p) * (of.m / of.p);
  };
  for (int rank = 0; rank < of.p; ++rank) {
    std::vector<Units> sent(static_cast<std::size_t>(one_block ? 1 : graph.sent_blocks(rank)));
    if (one_block) sent.front() = length(rank, {});
    for (const Edge to : graph.destinations(rank)) {
      if (!one_block) sent[static_cast<std::size_t>(to.block)] = length(rank, to);
    }
    std::vector<Units> received(static_cast<std::size_t>(graph.received_blocks(rank)));
    for (std::size_t i = 0; i < graph.sources(rank).size(); ++i) {
      const Edge from = graph.sources(rank)[i];
      received[static_cast<std::size_t>(from.block)] =
          length(from.peer, {rank, graph.sent_along(rank, i).block});
    }
    rows_.emplace_back(std::move(sent));
    columns_.emplace_back(std::move(received));
  }
}

// One that is empty, if there are none.
Blocks BlockLengths::Cut::of(Slice whole) const {
  if (counts.empty()) return {};
  const Units length = displacements.back() + counts.back();
  return Blocks::cut({whole.space(), whole.offset(), length}, counts, displacements);
}

Blocks BlockLengths::row(int rank, Slice whole) const {
  if (rows_.empty()) return Blocks::even(whole, count_);
  return rows_[rows_.size() == 1 ? 0 : static_cast<std::size_t>(rank)].of(whole);
}

Blocks BlockLengths::column(int rank, Slice whole) const {
  if (columns_.empty()) return Blocks::even(whole, count_);
  return columns_[static_cast<std::size_t>(rank)].of(whole);
}

std::optional<Units> BlockLengths::longest() const {
  if (rows_.empty()) return std::nullopt;
  Units longest = 0;
  for (const Cut& row : rows_) {
    for (const Units count : row.counts) longest = std::max(longest, count);
  }
  return longest;
}

void BlockLengths::pad() noexcept {
  rows_.clear();
  columns_.clear();
}

}  // namespace roundelay::interpret
