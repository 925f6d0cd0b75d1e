// SPDX-License-Identifier: Apache-2.0
// Combining at one rank what all others send it, in the order of the ranks: for any operation, with
// the same bits whichever rank does it.
#pragma once

#include "algorithms/catalogue.hpp"

namespace roundelay {

// The result of the contributions of all ranks, each received as `receive` says; `own` is that of
// this rank and may be the same slice as `result`. p - 1 rounds. Takes scratch memory for three
// contributions.
//
//   p = 4, rank 1:   round 0: receives from 3
//                    round 1: receives from 2 and combines
//                    combines its own
//                    round 2: receives from 0 and combines
using Receiving = Transfer (*)(Slice into, int from);
Schedule combine_in_rank_order(Group g, Slice own, Slice result, Slice scratch, Receiving receive);

// Sends to every other rank its block, those for the ranks behind this one first.
[[nodiscard]] RoundList contributions(Group g, const Blocks& blocks, Fence due);

// Exposes a block to all other ranks.
[[nodiscard]] RoundList exposed_to_all(Group g, Slice block, Fence due);

// In how many pieces blocks go, so that a piece is combined while the next one is on its way: the
// parameter `blocks`.
[[nodiscard]] int pieces_of_block(const Dimensions& of);

}  // namespace roundelay
