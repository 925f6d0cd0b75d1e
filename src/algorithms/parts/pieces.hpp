// SPDX-License-Identifier: Apache-2.0
// What the algorithms that combine data between two groups have in common: the senders reduce and
// scatter, so that each has one piece of the result, and all hand theirs over at once.
#pragma once

#include "algorithms/catalogue.hpp"

namespace roundelay {

// Among the senders, by the problem's first nested choice: the result of piece i in its place in
// `work`, which is the beginning of the scratch memory and as long as the input.
Schedule reduce_to_pieces(Problem x, Slice work);

// Sender i, of as many as there are pieces, has piece i; receiver j gets block j of what they are
// pieces of in `mine`. Both are cuts of one slice, whether this rank has its memory or not. In the
// group the senders come first.
//
//   p = 3, q = 2, 6 units:   0 -> 3 (0 1)   1 -> 3 (2)   1 -> 4 (3)   2 -> 4 (4 5)
Schedule hand_over(Group g, Blocks pieces, Blocks wanted, Slice mine);

// What the two cost, if as many receivers want even blocks; both are upper bounds. The scratch
// memory is the senders'.
[[nodiscard]] Claims pieces_claims(const Choice& choice, const Formula& receivers);

[[nodiscard]] Parameter pieces_parameter();

}  // namespace roundelay
