// SPDX-License-Identifier: Apache-2.0
// What the algorithms on the binomial tree have in common.
#pragma once

#include <bit>

#include "algorithms/catalogue.hpp"
#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// The tree over ranks 0 .. p - 1 with root 0: rank v has the ranks v .. v + span - 1 (as far as
// there are) below and including it. Its parent is v - span, its children are v + 1, v + 2, v + 4,
// .. below v + span, and the span of v + d is d.
//
//   p = 6:   0 - 1       span 8: 0   4: 4   2: 2   1: 1 3 5
//            0 - 2 - 3
//            0 - 4 - 5
constexpr int binomial_span(int v, int p) noexcept {
  return v == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(p))) : v & -v;
}

// Of gathering and of scattering on the tree. Scratch memory is for the blocks below a rank other
// than the root, of the rank that has most.
Claims binomial_claims(const Choice& choice);

// gather.binomial, of even blocks.
Schedule binomial_gather(Group g, int root, Slice input, Blocks blocks, Slice scratch);

// reduce.binomial: the result of all ranks' `input` in `data` of rank `root`. Ranks are combined in
// the order root, root + 1, .. (modulo the size).
Schedule binomial_reduce(Group g, int root, Slice input, Slice data, Slice scratch);

// bcast.binomial.
Schedule binomial_bcast(Group g, int root, Slice data);

// Down the tree from rank 0, which has all blocks; every rank has their memory and ends with its
// own in its place.
Schedule binomial_scatter(Group t, Blocks blocks);

}  // namespace roundelay
