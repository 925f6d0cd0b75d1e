// SPDX-License-Identifier: Apache-2.0
// What each rank of a call is given, and what it has to have in the end.
#include <algorithm>
#include <cstddef>

#include "interpret/call.hpp"

namespace roundelay::interpret {

namespace {

// The blocks as they lie, of which each is the next units of the message from `index` on.
Message runs_of(const Blocks& blocks, Units index) {
  Message runs;
  for (int block = 0; block < blocks.size(); ++block) {
    const Slice its = blocks[block];
    if (!its.empty()) runs.push_back({its.offset(), its.length(), index, 0});
    index += its.length();
  }
  std::ranges::sort(runs, {}, &Run::offset);
  return runs;
}

// Whether it is who receives that has a block of its own of what is cut.
bool cuts_what_is_received(Collective collective) {
  return facts_of(collective).cut == Cut::by_receiver;
}

}  // namespace

Slice Call::given(int rank) const {
  const Problem& x = problem(rank);
  const bool root = rank == root_;
  if (of_.q > 0) {
    if (!sends(rank)) return {};
    if (!root || !rooted(collective())) return x.input;
    return collective() == Collective::bcast ? x.data : x.blocks.whole();
  }
  const Buffers& given = facts_of(collective()).given;
  return slice_of(rank, root ? given.at_root : given.elsewhere);
}

Slice Call::slice_of(int rank, ProblemSlice which) const {
  const Problem& x = problem(rank);
  switch (which) {
    case ProblemSlice::nothing: return {};
    case ProblemSlice::input: return x.input;
    case ProblemSlice::data: return x.data;
    case ProblemSlice::all_blocks: return x.blocks.whole();
    case ProblemSlice::own_block: return x.blocks[rank];
    case ProblemSlice::given_blocks: return x.given.whole();
  }
  return {};
}

Slice Call::wanted(int rank) const {
  if (sends(rank)) return {};
  // Nobody is before rank 0.
  if (collective() == Collective::exscan && rank == 0) return {};
  if (of_.q > 0 && cuts_what_is_received(collective())) return problem(rank).data;
  const Buffers& wanted = facts_of(collective()).wanted;
  return slice_of(rank, rank == root_ ? wanted.at_root : wanted.elsewhere);
}

std::vector<Slice> Call::left_alone(int rank) const {
  if (collective() == Collective::exscan && rank == 0) return {problem(rank).data};
  const Blocks& blocks = problem(rank).blocks;
  if (!of_.apart || blocks.is_even() || blocks.whole().space() != Space::output) return {};
  std::vector<Slice> gaps;
  Units end = 0;
  for (const Run& run : runs_of(blocks, 0)) {
    if (run.offset > end) gaps.emplace_back(Space::output, end, run.offset - end);
    end = run.end();
  }
  return gaps;
}

// What a rank gives begins with that unit of the message.
Units Call::index_of_given(int rank) const noexcept {
  if (exchanges(collective())) return rank * (2 * of_.m + 1);  // a row is no longer than that
  const Units blocks = of_.graph->degree() + Units{1};
  return rank * (2 * blocks * of_.m + 1);  // a block is no longer than 2 m / p
}

Message Call::given_runs(int rank) const {
  const Slice slice = given(rank);
  if (slice.empty()) return {};
  Units index = slice.offset();
  if (has_p_blocks(collective())) {
    index = index_of_given(rank);
  } else if (!reduces(collective()) && facts_of(collective()).cut == Cut::by_sender) {
    index = lengths_.row(rank, {Space::output, 0, of_.m})[rank].offset();
  }
  if (of_.apart) {
    for (const Blocks& blocks : {problem(rank).given, problem(rank).blocks}) {
      if (!blocks.is_even() && slice == blocks.whole()) return runs_of(blocks, index);
    }
  }
  return {{slice.offset(), slice.length(), index,
           reduces(collective()) ? static_cast<Expression>(rank) : Expression{0}}};
}

Message Call::wanted_runs(int rank) const {
  const Slice slice = wanted(rank);
  if (slice.empty()) return {};
  if (has_p_blocks(collective())) return runs_of_blocks_for(rank);
  const Blocks& blocks = problem(rank).blocks;
  if (of_.apart && !blocks.is_even() && slice == blocks.whole()) return runs_of(blocks, 0);
  const bool is_block = slice == problem(rank).data && cuts_what_is_received(collective());
  const int block = of_.q > 0 ? rank - of_.p : rank;
  return {{slice.offset(), slice.length(),
           is_block ? lengths_.row(rank, {Space::input, 0, of_.m})[block].offset() : slice.offset(),
           0}};
}

// Where every rank has blocks of its own for others.
Message Call::runs_of_blocks_for(int rank) const {
  Message runs;
  const auto add = [&](int block, int sender, int its_block) {
    const Slice slice = problem(rank).blocks[block];
    if (slice.empty()) return;
    const Units place = lengths_.row(sender, {Space::input, 0, of_.m})[its_block].offset();
    runs.push_back({slice.offset(), slice.length(), index_of_given(sender) + place, 0});
  };
  if (exchanges(collective())) {
    for (int from = 0; from < of_.p; ++from) add(from, from, rank);
  } else {
    const auto sources = of_.graph->sources(rank);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const int sent = of_.graph->sent_along(rank, i).block;
      add(sources[i].block, sources[i].peer, sends_one_block(collective()) ? 0 : sent);
    }
  }
  std::ranges::sort(runs, {}, &Run::offset);
  return runs;
}

RankRange Call::contributors(int rank) const {
  if (collective() == Collective::scan) return {0, rank + 1};
  if (collective() == Collective::exscan) return {0, rank};
  return {0, of_.p};
}

}  // namespace roundelay::interpret
