// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.ring: every block travels once around the ring of ranks and collects their
// contributions, last that of its own rank.
//
// Patarasuk, Yuan 2009, Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations.
// p - 1 rounds, m (p - 1) / p units each way, all of them between neighbours: for very long
// messages. Block b is combined in the order of ranks b + 1, b + 2, .., b (modulo p): for
// commutative operations.
//
// With `group` k > 1 the k-ring (Wilkins et al. 2023, Generalized Collective Algorithms for the
// Exascale Era), allgather.ring backwards: the blocks of a group travel around the ring of its k
// consecutive ranks, each of which then hands one of them on to the next group. As many rounds and
// units, but a group's border is crossed in only one of k rounds, by k blocks at once. Where k does
// not divide p, its greatest divisor below k is taken.
//
//   p = 5, rank 2:            round 0: sends block 1, receives 0 and combines
//                             round 1: sends block 0, receives 4 and combines
//                             round 2: sends block 4, receives 3 and combines
//                             round 3: sends block 3, receives 2 and combines: block 2 is done
//   p = 6, group 3, rank 2:   rounds 0 and 1: sends 4 and 3 to 0, receives 3 and 5 from 1
//                             round 2:        sends 5 to 5, receives 2 from 5
//                             rounds 3 and 4: sends 1 and 0 to 0, receives 0 and 2 from 1
#include "algorithms/parts/ring.hpp"

#include <algorithm>

namespace roundelay {

namespace {

struct RingStep {
  int to;
  int from;
  int sent;
  int received;
};

// Of p - 1: k - 1 of them are in the own group, then one is between groups, and so on.
RingStep step_of_ring(const Group& g, int k, int i) {
  const int own = g.rank / k * k;  // the first rank of this group
  const int j = g.rank - own;
  const int first = own - (i / k + 1) * k;  // of the group whose blocks these are
  const int left = k - 2 - i % k;
  if (left < 0) return {g.rank + k, g.rank - k, first + j, first - k + j};
  return {own + (j + 1) % k, own + (j + k - 1) % k, first + (j + left + 1) % k,
          first + (j + left) % k};
}

}  // namespace

Schedule ring_reduce_scatter(Group g, Blocks input, Blocks data, Slice scratch, int k) {
  while (g.size % k != 0) --k;
  if ((k > 1 || g.size == 1) && input.whole() != data.whole()) {
    co_yield round(copy(input.whole(), data.whole()));
    input = data;
  }
  const bool in_place = input.whole() == data.whole();
  Units longest = 0;
  for (int rank = 0; rank < g.size; ++rank) longest = std::max(longest, data[rank].length());
  for (int i = 0; i + 1 < g.size; ++i) {
    const RingStep step = step_of_ring(g, k, i);
    const Slice mine = input[step.received];
    // Two scratch blocks take turns, so that a block may arrive while the one before is combined.
    const Slice theirs =
        in_place ? scratch.part(i % 2 * longest, mine.length()) : data[step.received];
    co_yield round(send(i == 0 ? input[step.sent] : data[step.sent], g[step.to]),
                   recv(theirs, g[step.from]),
                   in_place ? combine(theirs, mine) : combine(mine, theirs));
  }
}

namespace {

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "ring",
     .summary = "Every block travels around the ring and is combined at every rank, last at its "
                "own.",
     .paper = "Patarasuk, Yuan 2009, Bandwidth Optimal All-reduce Algorithms; Wilkins et al. 2023",
     .restrictions = {Restriction::commutative},
     .parameters = {group_parameter()},
     .claims = [](const Choice& /*choice*/) -> Claims {
       return {.scratch = if_many(2 * longest_block()),
               .rounds = p() - 1,
               .volume = m() * (p() - 1) / p(),
               .symmetric = true};
     },
     .schedule =
         [](const Problem& x) {
           return ring_reduce_scatter(x.group, x.blocks.over(x.input), x.blocks, x.scratch,
                                      static_cast<int>(x.choice->number(0)));
         }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
