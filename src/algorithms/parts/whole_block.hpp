// SPDX-License-Identifier: Apache-2.0
// The transfer of one block from its owner to its receiver in one message.
#pragma once

#include <algorithm>

#include "schedule/round.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// Blocks of any lengths (alltoallv, alltoallw) go even if they are empty: MPI libraries let a
// receiver make room for more than it is sent, and then only the sender knows that there is
// nothing.
inline Transfer whole_block(Transfer transfer, const Blocks& of) {
  return of.is_even() ? transfer : always(transfer);
}

// What a rank has for itself; the room for it may be longer, too.
inline LocalStep copy_own_block(Slice given, Slice room) {
  const Units length = std::min(given.length(), room.length());
  return copy(given.part(0, length), room.part(0, length));
}

}  // namespace roundelay
