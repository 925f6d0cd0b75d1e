// SPDX-License-Identifier: Apache-2.0
// A few ranks of a call in place of all.
#pragma once

#include <algorithm>
#include <vector>

#include "interpret/call.hpp"
#include "schedule/idle_rounds.hpp"

namespace roundelay::interpret {

// Some that differ from each other.
inline std::vector<int> some_ranks(int p) {
  constexpr int many = 16;
  std::vector<int> some;
  const int step = p / many | 1;  // odd: in trees of powers of two, even ranks are alike
  for (int i = 0; i < std::min(p, many); ++i) some.push_back(i * step % p);
  return some;
}

// Calls `use` with each transfer in which the rank sends, and the number of its round.
template <typename Use>
void for_each_send(const Call& call, int rank, const Use& use) {
  Schedule schedule = call.schedule(rank);
  IdleRounds rounds;
  for (std::size_t round = 0; rounds.next(schedule); ++round) {
    for (const Transfer* transfer : schedule.round().transfers) {
      if (transfer->sends() && transfer->happens()) use(round, *transfer);
    }
  }
}

}  // namespace roundelay::interpret
