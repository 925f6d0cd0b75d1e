// SPDX-License-Identifier: Apache-2.0
// A few ranks of a call in place of all.
#pragma once

#include <algorithm>
#include <vector>

#include "interpret/problem.hpp"

namespace roundelay::interpret {

// Some that differ from each other, in pairs of ranks that are next to each other.
inline std::vector<int> some_pairs(int p) {
  constexpr int many = 8;
  std::vector<int> some;
  const int pairs = p / 2;
  const int step = pairs / many | 1;  // odd: in trees of powers of two, even ones are alike
  for (int i = 0; i < std::min(pairs, many); ++i) {
    const int first = i * step % pairs * 2;
    some.insert(some.end(), {first, first + 1});
  }
  return some;
}

// Calls `use` with each transfer in which the rank sends, and the number of its round.
template <typename Use>
void for_each_send(const Call& call, int rank, const Use& use) {
  Schedule schedule = call.schedule(rank);
  for (std::size_t round = 0; schedule.next(); ++round) {
    for (const Transfer* transfer : schedule.round().transfers) {
      if (transfer->sends() && transfer->happens()) use(round, *transfer);
    }
  }
}

}  // namespace roundelay::interpret
