// SPDX-License-Identifier: Apache-2.0
// gather.inter_joined: the ranks of the other group send to the root as if it was one of them.
//
// Open MPI gathers at one rank of the other group, who sends all to the root: all m units pass
// through two ranks one after the other. Here they pass through the root alone.
//
//   p = 3, q = 2, root 4 (senders 0 1 2), gather=linear:
//     round 0: 0 -> 4 (block 0)   1 -> 4 (1)   2 -> 4 (2)
#include <array>

#include "algorithms/parts/joined.hpp"

namespace roundelay {
namespace {

const std::array entry{Registered{joined_algorithm(Collective::gather, Root::receives, "linear")},
                       Registered{joined_algorithm(Collective::gatherv, Root::receives, "linear")}};

}  // namespace
}  // namespace roundelay
