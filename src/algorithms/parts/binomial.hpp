// SPDX-License-Identifier: Apache-2.0
// What the algorithms on the binomial tree, and on the k-nomial ones, have in common.
#pragma once

#include "algorithms/parts/radix.hpp"
#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// The tree over ranks 0 .. p - 1 with root 0: rank v has the ranks v .. v + span - 1 (as far as
// there are) below and including it. With radix k its children are v + j, v + j k, v + j k^2, ..
// below v + span, for j = 1 .. k - 1, and the span of v + j d is d.
//
//   p = 6:   0 - 1       span 8: 0   4: 4   2: 2   1: 1 3 5
//            0 - 2 - 3
//            0 - 4 - 5
//   p = 6, radix 3:   0 - 1           span 9: 0   3: 3   1: 1 2 4 5
//                     0 - 2
//                     0 - 3 - 4 5
constexpr int binomial_span(int v, int p, int radix = 2) noexcept {
  int span = 1;
  while (v == 0 ? span < p : v / span % radix == 0) span *= radix;
  return span;
}
// Of a rank that has such a span and is not the root.
constexpr int binomial_parent(int v, int span, int radix = 2) noexcept {
  return v - v / span % radix * span;
}

// How deep the tree is, and how many messages the root sends or receives.
[[nodiscard]] Formula binomial_rounds(int radix);
[[nodiscard]] Formula binomial_messages(int radix);

// Of gathering and of scattering on the tree. Scratch memory is for the blocks below a rank other
// than the root, of the rank that has most.
Claims binomial_claims(int radix = 2);

// gather.binomial, of even blocks.
Schedule binomial_gather(Group g, int root, Slice input, Blocks blocks, Slice scratch,
                         int radix = 2);

// reduce.binomial: the result of all ranks' `input` in `data` of rank `root`. Ranks are combined in
// the order root, root + 1, .. (modulo the size).
Schedule binomial_reduce(Group g, int root, Slice input, Slice data, Slice scratch, int radix = 2);

// bcast.binomial.
Schedule binomial_bcast(Group g, int root, Slice data, int radix = 2);

// Down the tree from rank 0, which has all blocks; every rank has their memory and ends with its
// own in its place.
Schedule binomial_scatter(Group t, Blocks blocks);

}  // namespace roundelay
