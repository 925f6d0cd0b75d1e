// SPDX-License-Identifier: Apache-2.0
// What scan and exscan have in common.
#pragma once

#include "algorithms/catalogue.hpp"
#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// Whether rank v of p sends its partial result in a step of distance d, 2 d, ..: to every higher
// partner, and to a lower one that sends it on in its turn. If not, nobody needs it.
[[nodiscard]] bool prefix_is_sent_on(int v, int p, int d);

// scan.recursive_doubling: combines into `data` the contributions of the ranks before this one.
// `partial` holds the own at the start. It is `data` (scan), or the input or the first half of
// `scratch`, and then `data` is filled only if there are ranks before (exscan).
Schedule recursive_doubling_prefix(Group g, Slice partial, Slice data, Slice scratch);

// What either takes.
inline Claims prefix_claims(const Choice& /*choice*/) {
  const Formula q = ceil_log2(p());
  return {.scratch = if_many(2 * m()), .rounds = q, .volume = q * m()};
}

}  // namespace roundelay
