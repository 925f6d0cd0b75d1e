// SPDX-License-Identifier: Apache-2.0
// allgather.local_bruck: each rank of a node fetches what another node has, and then all of a node
// share what they have fetched.
//
// Bienz, Gautam, Kharel 2022, A Locality-Aware Bruck Allgather (arXiv:2206.03564). While a node has
// the blocks of H nodes, its ranks 0, 1, .. q - 1 fetch H nodes' blocks each, from H, 2 H, .. q H
// nodes ahead: ceil(log(n) / log(q + 1)) messages of a rank between n nodes, where Bruck's rounds
// send log2 p. In the paper, rank 0 fetches nothing, and a node has q times as much after a step;
// here a node with one rank may take part, too. The blocks are shared in the node by
// allgather.bruck. Where nodes are of unequal sizes, q is the smallest, and the later ranks of
// others fetch nothing. All blocks wait in scratch memory, in the order of the nodes from the own
// one on.
//
//   nodes 0 1, 2 3 and 4 5, ranks 0 and 1:   within:   0 <-> 1
//                                            between:  0 receives 2 3 from 2, 1 4 5 from 5;
//                                                      0 sends 0 1 to 4, 1 to 3
//                                            within:   0 <-> 1
#include <algorithm>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/circulant.hpp"
#include "algorithms/parts/levels.hpp"

namespace roundelay {
namespace {

// The blocks of all ranks, part by part from the own one on.
class FromOwnPart {
 public:
  FromOwnPart(const Partition& parts, int own, const Blocks& blocks) {
    for (int i = 0; i < parts.count(); ++i) {
      starts_.push_back(length_);
      for (const int rank : parts.members((own + i) % parts.count())) {
        ranks_.push_back(rank);
        offsets_.push_back(length_);
        lengths_.push_back(blocks[rank].length());
        length_ += lengths_.back();
      }
    }
    starts_.push_back(length_);
  }

  [[nodiscard]] Units length() const noexcept { return length_; }
  [[nodiscard]] std::span<const int> ranks() const noexcept { return ranks_; }
  // A block for each of the first `count` ranks. Refers to this.
  [[nodiscard]] Blocks blocks(int count, Slice whole) const noexcept {
    const auto size = static_cast<std::size_t>(count);
    return Blocks::cut(whole, std::span(lengths_).first(size), std::span(offsets_).first(size));
  }
  // Of `count` parts.
  [[nodiscard]] Slice of_parts(int first, int count, Slice whole) const noexcept {
    const Units start = starts_[static_cast<std::size_t>(first)];
    return whole.part(
        start, starts_[static_cast<std::size_t>(first) + static_cast<std::size_t>(count)] - start);
  }

 private:
  Units length_ = 0;
  std::vector<int> ranks_;
  std::vector<Units> offsets_;
  std::vector<Units> lengths_;
  std::vector<Units> starts_;  // of the parts, and the end
};

Schedule local_bruck(Problem x) {
  const Partition& parts = parts_of(x);
  const int own = parts.part_of(x.group.rank);
  const int place = parts.place_of(x.group.rank);
  const int n = parts.count();
  const int q = parts.smallest();
  const FromOwnPart order(parts, own, x.blocks);
  const Slice whole = x.scratch.part(0, order.length());
  const Subgroup within = within_part(x.group, parts);
  const Blocks first_blocks = order.blocks(within.size, whole);
  co_yield round(copy(x.blocks[x.group.rank], first_blocks[place]));
  co_yield all(circulant_allgather(within, first_blocks, Skips::doubling(within.size)));

  const auto there = [&](int part) { return x.group[parts.members(part % n)[place]]; };
  std::vector<Units> lengths;
  std::vector<Units> offsets;
  for (int held = 1; held < n; held *= q + 1) {
    lengths.clear();
    offsets.clear();
    for (int i = 0; i < within.size; ++i) {
      const int first = std::min((i + 1) * held, n);
      const int count = i < q ? std::min(held, n - first) : 0;
      const Slice fetched = order.of_parts(first, count, whole);
      lengths.push_back(fetched.length());
      offsets.push_back(fetched.offset() - whole.offset());
      if (i != place || count == 0) continue;
      co_yield round(send(order.of_parts(0, count, whole), there(own + n - first)),
                     recv(fetched, there(own + first)));
    }
    co_yield all(circulant_allgather(within, Blocks::cut(whole, lengths, offsets),
                                     Skips::doubling(within.size)));
  }

  RoundList copies;
  const Blocks arrived = order.blocks(x.group.size, whole);
  for (int i = 0; i < x.group.size; ++i) {
    const int rank = order.ranks()[static_cast<std::size_t>(i)];
    if (rank != x.group.rank) copies.add(copy(arrived[i], x.blocks[rank]));
  }
  co_yield copies;
}

double steps(const Partition& parts) {
  int count = 0;
  for (int held = 1; held < parts.count(); held *= parts.smallest() + 1) ++count;
  return count;
}

const Registered entry{
    {.collective = Collective::allgather,
     .name = "local_bruck",
     .summary = "Each rank of a node or site fetches what other nodes or sites have gathered, and "
                "shares it with the ranks of its own.",
     .paper = "Bienz, Gautam, Kharel 2022, A Locality-Aware Bruck Allgather",
     .restrictions = {Restriction::several_parts},
     .parameters = level_parameters({}),
     .claims = [](const Choice& choice) -> Claims {
       const LevelClaims levels(choice);
       const Formula between = levels.of_parts("steps(parts)", steps);
       const Formula within = ceil_log2(levels.largest());
       return {.scratch = m(),
               .rounds = between + within * (between + 1),
               .volume = m() * (between + within),
               .at_most = true};
     },
     .schedule = [](const Problem& x) { return local_bruck(x); }},
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
