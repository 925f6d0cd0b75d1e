// SPDX-License-Identifier: Apache-2.0
// reduce_scatter.pat: partial results go to ever farther ranks, as many blocks at once as a buffer
// holds.
//
// Jeaugey 2025, PAT: a new algorithm for all-gather and reduce-scatter operations at scale
// (arXiv:2506.20252): allgather.pat backwards, so that half of all goes to a neighbour and what
// goes far is little. m (p - 1) / p units each way for every p; with a `buffer` of p / 2 blocks
// ceil(log2 p) rounds, with one of A about log2 A + p / A, with one of 1 p - 1. The buffer is all
// the memory that it needs: partial results are where the contributions were. Ranks are combined as
// they are met: for commutative operations.
//
//   p = 5, rank 2:   round 0: sends blocks 1 4 to 1, receives 0 2 from 3 and combines (distance 1)
//                    round 1: sends block  0   to 0, receives 2   from 4 and combines (distance 2)
//                    round 2: sends block  3   to 3, receives 2   from 1 and combines (distance 4)
#include "algorithms/parts/pat.hpp"

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/piecewise.hpp"

namespace roundelay {
namespace {

Schedule pat(Group g, Slice input, Blocks data, Slice scratch, int most) {
  const int r = g.rank;
  if (input != data.whole()) co_yield round(copy(input, data.whole()));
  const std::vector<PatRound> steps = pat_rounds(g.size, most);
  SliceRoom sent;
  SliceRoom into;
  RoundList list;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const Slices mine = pat_blocks(data, r, 0, *step, into);
    const Slice theirs = scratch.part(0, mine.length());
    list.clear()
        .add(send(pat_blocks(data, r, step->d, *step, sent), g[r - step->d]))
        .add(recv(theirs, g[r + step->d]));
    combine_piecewise(list, theirs, mine);
    co_yield list;
  }
}

const Registered entry{
    {.collective = Collective::reduce_scatter,
     .name = "pat",
     .summary = "Partial results travel to near ranks first, with as many blocks per message as "
                "the buffer holds.",
     .paper = "Jeaugey 2025, PAT: a new algorithm for all-gather and reduce-scatter operations at "
              "scale",
     .restrictions = {Restriction::commutative},
     .parameters = {buffer_parameter()},
     .claims = [](const Choice& choice) -> Claims {
       return {.scratch = min(m(), min(buffer_of(choice), floor(p() / 2)) * longest_block()),
               .rounds = rounds_of_pat(choice),
               .volume = m() * (p() - 1) / p(),
               .symmetric = true};
     },
     .schedule =
         [](const Problem& x) {
           return pat(x.group, x.input, x.blocks, x.scratch, buffer_of(*x.choice));
         }},
    {Collective::reduce_scatter_block}};

}  // namespace
}  // namespace roundelay
