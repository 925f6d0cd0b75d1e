// SPDX-License-Identifier: Apache-2.0
// When the ranks begin to look for a faster algorithm for calls of a kind, and what learning may
// cost them. No clock is asked: ranks that know the same say the same.
#pragma once

#include <cstdint>

#include "choose/facts.hpp"
#include "choose/machine.hpp"

namespace roundelay::choose {

// Before these nothing is worth learning: they take a millisecond, if they are as fast as messages
// can be.
[[nodiscard]] std::int64_t calls_before_learning(const Facts& call, const Machine& machine);

// Whether the search for candidates may wait until it is worth its time, while the first guess is
// compared with the MPI library's own algorithm.
[[nodiscard]] bool search_may_wait(const Facts& call, const Machine& machine);

// The share of the time of calls that learning may cost.
[[nodiscard]] double share_of_learning(const Facts& call, const Machine& machine, bool is_native);

// Seconds that calls have to take together before a search that takes `search` seconds, if one call
// takes `seconds`.
[[nodiscard]] double seconds_before_search(const Facts& call, const Machine& machine,
                                           double seconds, double search);

}  // namespace roundelay::choose
