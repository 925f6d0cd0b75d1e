// SPDX-License-Identifier: Apache-2.0
// Which blocks a rank receives and sends in the rounds of a pipelined broadcast on a circulant
// graph, so that n blocks reach all p ranks in n - 1 + q rounds, q = ceil(log2 p).
//
// Traff 2024, Optimal broadcast schedules in logarithmic time. O(log p), without communication or
// memory. Ranks v count from the root: v = (rank - root) mod p.
//
//   p = 5, q = 3      v  0  1  2  3  4    In round k rank v receives from v - skip[k] and sends to
//   skip 1 2 3 (5)    b  3  0  1  2  0    v + skip[k]. Entries are blocks of the first q rounds;
//   receive[0]       -3  0 -3 -2 -1       q rounds later all are greater by q, and a negative one
//   receive[1]       -1 -1  1 -3 -2       is no block yet. b is the base block: the one that v
//   receive[2]       -2 -2 -1  2  0       receives in the first q rounds.
#pragma once

#include <array>
#include <cstdint>

#include "schedule/skips.hpp"

namespace roundelay {

// Of rounds 0 .. q - 1; every p that an int can hold has at most 31.
using CirculantEntries = std::array<std::int8_t, 31>;

// q for the root, which receives nothing.
[[nodiscard]] int base_block(Skips skip, int v) noexcept;

// `skip` is Skips::halving(p). Entries of the root's receive schedule are only for those who take
// another root's place in it, as in an allgather; entries from q on are not written.
void receive_schedule(Skips skip, int v, CirculantEntries& receive) noexcept;

// What rank v + skip[k] receives in round k. Returns how many of the entries needed a search of
// O(log p) steps: at most four, by the paper's theorem 3.
int send_schedule(Skips skip, int v, CirculantEntries& send) noexcept;

}  // namespace roundelay
