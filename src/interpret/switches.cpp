// SPDX-License-Identifier: Apache-2.0
#include "interpret/switches.hpp"

#include <cstddef>
#include <utility>

#include "interpret/call.hpp"
#include "schedule/idle_rounds.hpp"

namespace roundelay::interpret {

namespace {

// How many rounds each rank yields: changes with the length only where a parameter does that is
// left to the algorithm.
std::vector<int> rounds_of_ranks(const Choice& choice, Case of, Units m) {
  of.m = m;
  const Call call(choice, of);
  std::vector<int> rounds;
  for (int rank = 0; rank < of.ranks(); ++rank) {
    Schedule schedule = call.schedule(rank);
    rounds.push_back(0);
    IdleRounds walk;
    while (walk.next(schedule)) ++rounds.back();
  }
  return rounds;
}

}  // namespace

bool cuts_as_it_likes(const Choice& choice) {
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    const bool part_does =
        choice.values[i].algorithm != nullptr && cuts_as_it_likes(choice.nested(i));
    if (part_does || (choice.algorithm->parameters[i].automatic && choice.number(i) == 0)) {
      return true;
    }
  }
  return false;
}

std::vector<Units> lengths_at_switches(const Choice& choice, const Case& shape) {
  std::vector<Units> lengths;
  if (!cuts_as_it_likes(choice)) return lengths;
  constexpr Units longest = 32768;
  const Units unit = has_p_blocks(choice.algorithm->collective) ? shape.p : 1;
  const auto rounds_at = [&](Units units) { return rounds_of_ranks(choice, shape, units * unit); };
  std::vector<int> rounds = rounds_at(1);
  for (Units shorter = 1; shorter < longest; shorter *= 2) {
    std::vector<int> rounds_then = rounds_at(2 * shorter);
    if (rounds_then == rounds) continue;
    Units before = shorter;
    Units after = 2 * shorter;
    while (after - before > 1) {
      const Units middle = (before + after) / 2;
      (rounds_at(middle) == rounds ? before : after) = middle;
    }
    lengths.insert(lengths.end(), {before * unit, after * unit});
    rounds = std::move(rounds_then);
  }
  return lengths;
}

}  // namespace roundelay::interpret
