// SPDX-License-Identifier: Apache-2.0
// Which buffers each rank of a call has, and where its blocks lie in them.
#include <algorithm>
#include <cstddef>

#include "interpret/call.hpp"

namespace roundelay::interpret {

void Call::pose(Problem& problem) const {
  if (of_.q > 0) return pose_between(problem);
  const int rank = problem.group.rank;
  const bool root = rank == root_;
  const Slice input(Space::input, 0, of_.m);
  const Slice output(Space::output, 0, of_.m);
  switch (collective()) {
    case Collective::allgather:
    case Collective::allgatherv: problem.blocks = lengths_.row(rank, output); break;
    case Collective::bcast: problem.data = output; break;
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      problem.blocks = lengths_.column(rank, output);
      problem.given = of_.in_place ? problem.blocks : lengths_.row(rank, input);
      break;
    case Collective::gather:
    case Collective::gatherv:
      if (root || collective() == Collective::gather) problem.blocks = lengths_.row(rank, output);
      if (!root) problem.input = {Space::input, 0, lengths_.row(rank, output)[rank].length()};
      break;
    case Collective::scatter:
    case Collective::scatterv:
      if (root || collective() == Collective::scatter) problem.blocks = lengths_.row(rank, input);
      if (!root) problem.data = {Space::output, 0, lengths_.row(rank, input)[rank].length()};
      break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
      problem.input = lengths_.row(rank, input)[0];
      problem.blocks = lengths_.column(rank, output);
      break;
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw:
      problem.given = lengths_.row(rank, input);
      problem.blocks = lengths_.column(rank, output);
      break;
    case Collective::reduce:
      problem.data = output;
      problem.input = of_.in_place && root ? output : input;
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      problem.blocks = lengths_.row(rank, output);
      problem.input = of_.in_place ? output : input;
      break;
    case Collective::allreduce:
    case Collective::exscan:
    case Collective::scan:
      problem.data = output;
      problem.input = of_.in_place ? output : input;
      break;
    case Collective::barrier: break;
  }
}

void Call::pose_between(Problem& problem) const {
  const int rank = problem.group.rank;
  const bool root = rank == root_;
  const Slice input(Space::input, 0, of_.m);
  const Slice output(Space::output, 0, of_.m);
  const auto part = [&](Space space, int which) {
    return Slice(space, 0, lengths_.row(rank, output)[which].length());
  };
  switch (collective()) {
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::gather:
      problem.blocks = lengths_.row(rank, output);
      if (sends(rank)) problem.input = part(Space::input, rank);
      break;
    case Collective::gatherv:
      if (root) problem.blocks = lengths_.row(rank, output);
      if (sends(rank)) problem.input = part(Space::input, rank);
      break;
    case Collective::allreduce:
    case Collective::reduce:
      if (sends(rank)) problem.input = input;
      if (root || (!sends(rank) && collective() == Collective::allreduce)) problem.data = output;
      break;
    case Collective::bcast:
      if (root || !sends(rank)) problem.data = output;
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      problem.blocks = lengths_.row(rank, output);
      if (sends(rank)) problem.input = input;
      if (!sends(rank)) problem.data = part(Space::output, rank - of_.p);
      break;
    case Collective::scatter:
    case Collective::scatterv:
      if (root || collective() == Collective::scatter) problem.blocks = lengths_.row(rank, input);
      if (!sends(rank)) problem.data = part(Space::output, rank - of_.p);
      break;
    default: break;  // nothing, or there is none between groups
  }
}

void Call::lay_out(Problem& problem) {
  const int rank = problem.group.rank;
  if (!laid_out(collective()) || !has_blocks(rank)) return;
  const bool in_place = !problem.given.is_even() && problem.given.whole() == problem.blocks.whole();
  problem.blocks = laid_apart(problem.blocks, rank);
  problem.given = in_place ? problem.blocks : laid_apart(problem.given, rank + 1);
}

// Downwards or upwards from block `first` on, with a unit between some of them. Empty ones lie
// anywhere.
Blocks Call::laid_apart(const Blocks& blocks, int first) {
  if (blocks.is_even()) return blocks;
  const int count = blocks.size();
  std::vector<Units>& places = places_.emplace_back(static_cast<std::size_t>(count));
  Units end = 0;
  Units next = 0;
  for (int i = 0; i < count; ++i) {
    const int which = (first % 2 == 0 ? first + count - i : first + i) % count;
    const Units length = blocks[which].length();
    if (length == 0) continue;
    places[static_cast<std::size_t>(which)] = next;
    end = next + length;
    next = end + (i % 3 == 2 ? 0 : 1);
  }
  return Blocks::cut({blocks.whole().space(), 0, end}, blocks.counts(), places);
}

bool Call::has_blocks(int rank) const noexcept {
  switch (collective()) {
    case Collective::gather:
    case Collective::scatter: return rank == root_;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return of_.q == 0;
    default: return !sends(rank) || (rooted(collective()) && rank == root_);
  }
}

Units Call::size(int rank, Space space) const {
  const Problem& x = problem(rank);
  if (space == Space::scratch) return scratch_;
  Units size = 0;
  for (const Slice slice :
       {x.input, x.data, x.given.whole(), has_blocks(rank) ? x.blocks.whole() : Slice()}) {
    if (slice.space() == space) size = std::max(size, slice.end());
  }
  return size;
}

}  // namespace roundelay::interpret
