// SPDX-License-Identifier: Apache-2.0
// The critical path of a call whose ranks have a link each: what it takes, by a run of its
// schedules.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "interpret/call.hpp"
#include "interpret/run_budget.hpp"
#include "interpret/unsteady.hpp"

namespace roundelay::interpret {

// Seconds, and seconds a byte: the parameters of LogGP (Alexandrov et al. 1995), each direction of
// a rank's link carrying one message after the other, and what ranks take longer that are not in
// step. Where messages are in flight beside others at both ends, sending and receiving take turns:
// each has two gaps.
struct Link {
  double startup = 0;
  double gap = 0;  // at least, between two messages that a rank sends, or that it receives
  double byte = 0;
  double combined_byte = 0;
  double eager = 0;  // so long a message leaves before its receiver is there
  // Paced: a rank's messages wait for each other from end to end, and rounds do. If not, rounds
  // overlap as where they are executed: see Choice::discipline.
  bool paced = false;
  // Through memory: no link moves bytes while a rank combines others, to copy a byte takes as long
  // as to combine one, and a message that outlasts its round starts up for twice as long.
  bool moved_by_ranks = false;
  std::span<const double> taper = {};  // see Taper
  // If it is one and has a place for each rank: the lengths of its dimensions, and the start-up of
  // each link of a way but the first. Then the taper does not count.
  std::vector<int> torus = {};
  double hop = 0;
  Unsteadiness unsteady = {};
};

struct CriticalPath {
  double seconds = 0;   // until the last rank ends
  double startups = 0;  // of these: start-ups, and gaps that no bytes fill
};

// The rank that ends last decides. A symmetric schedule is priced by one rank. Otherwise all ranks
// are run until the transfers of `budget` are used up. If they do not suffice, a few ranks (the
// first, the last, the middle one, those around the root, and the latest) continue alone, as if
// their peers kept pace. For ranks that were not reached yet, the time that the others waited is
// added. No value: the price is more than the seconds of `budget`. The unit of the case is a byte.
// Throws as price() does. The same on every machine that adds and compares as IEEE 754 says.
[[nodiscard]] std::optional<CriticalPath> critical_path(const Choice& choice, const Case& of,
                                                        const Link& link, RunBudget& budget);

}  // namespace roundelay::interpret
