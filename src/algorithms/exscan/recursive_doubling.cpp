// SPDX-License-Identifier: Apache-2.0
// exscan.recursive_doubling: scan.recursive_doubling with a result that begins with what first
// comes from below.
//
// Hillis, Steele 1986, as in MPICH. ceil(log2 p) rounds of m units for every p: best for short
// messages. Every partial result is of consecutive ranks: for any operation.
//
//   p = 6:   distance 1: 0 <-> 1   2 <-> 3   4 -> 5
//            distance 2: 0 <-> 2   1 <-> 3
//            distance 4: 0 -> 4    1 -> 5
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/prefix.hpp"

namespace roundelay {
namespace {

Schedule exscan(Group g, Slice input, Slice data, Slice scratch) {
  if (g.size == 1) co_return;
  // In place what comes from below takes the place of the own contribution.
  const bool in_place = input == data;
  const Slice partial = in_place ? scratch.part(0, input.length()) : input;
  if (in_place && prefix_is_sent_on(g.rank, g.size, 1)) co_yield round(copy(input, partial));
  co_yield all(recursive_doubling_prefix(g, partial, data, scratch));
}

const Registered entry{{
    .collective = Collective::exscan,
    .name = "recursive_doubling",
    .summary =
        "Like scan.recursive_doubling, but a rank's result does not include its own contribution.",
    .paper = "Hillis, Steele 1986, Data Parallel Algorithms",
    .fixed_order = true,
    .common = true,
    .claims = prefix_claims,
    .schedule = [](const Problem& x) { return exscan(x.group, x.input, x.data, x.scratch); },
}};

}  // namespace
}  // namespace roundelay
