// SPDX-License-Identifier: Apache-2.0
// Combining a message that has arrived in one piece with what lies in several.
#pragma once

#include "schedule/round.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// The steps that combine `theirs` into the slices of `mine`, which are as long together.
inline void combine_piecewise(RoundList& list, Slice theirs, const Slices& mine) {
  Units at = 0;
  for (const Slice piece : mine) {
    list.add(combine(theirs.part(at, piece.length()), piece));
    at += piece.length();
  }
}

}  // namespace roundelay
