// SPDX-License-Identifier: Apache-2.0
// scatter.inter_joined: the root sends to the ranks of the other group as if it was one of them.
//
// Open MPI sends all to one rank of the other group, who scatters it: all m units pass through two
// ranks one after the other. Here they pass through the root alone.
//
//   p = 2, q = 3, root 0 (receivers 2 3 4), scatter=linear:
//     round 0: 0 -> 2 (block 0)   0 -> 3 (1)   0 -> 4 (2)
#include <array>

#include "algorithms/parts/joined.hpp"

namespace roundelay {
namespace {

const std::array entry{Registered{joined_algorithm(Collective::scatter, Root::sends, "linear")},
                       Registered{joined_algorithm(Collective::scatterv, Root::sends, "linear")}};

}  // namespace
}  // namespace roundelay
