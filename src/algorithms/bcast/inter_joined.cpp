// SPDX-License-Identifier: Apache-2.0
// bcast.inter_joined: the root broadcasts to the other group as if it was one of it.
//
// Natively all m units go to one rank of the other group, who broadcasts them. Here they start on
// their way to several of its ranks at once: with bcast.circulant n - 1 + ceil(log2 (q + 1)) rounds
// of m / n units. The other ranks of the root's group do nothing.
//
//   p = 2, q = 4, root 1 (receivers 2 3 4 5), bcast=binomial:
//     round 0: 1 -> 5
//     round 1: 1 -> 4
//     round 2: 1 -> 3 ..
#include "algorithms/parts/joined.hpp"

namespace roundelay {
namespace {

const Registered entry{joined_algorithm(Collective::bcast, Root::sends, "circulant")};

}  // namespace
}  // namespace roundelay
