// SPDX-License-Identifier: Apache-2.0
// The model where every rank has a link of its own, or all share memory: by the critical paths of
// the schedules.
#pragma once

#include <cstdint>
#include <vector>

#include "choose/candidates.hpp"
#include "choose/model/priced.hpp"

namespace roundelay::choose {

// What the ranks do before an algorithm.
enum class Preparation : std::uint8_t { none, tell_lengths };

struct Cheapest {
  const char* reason = "model: cheapest";
  Priced of_all;             // none: no algorithm is possible
  Priced common;             // of those that MPI libraries have, too
  std::vector<Priced> near;  // of each algorithm about as cheap, itself included
};

// Of algorithms before which the ranks do that. Where it counts first how much is sent, of those
// that send least.
[[nodiscard]] Cheapest cheapest_by_critical_path(const Facts& facts, const Machine& machine,
                                                 Preparation preparation);

// What each of ours takes there that is possible, in its cheaper discipline, in no order: by the
// same search, which runs all of them to their ends.
[[nodiscard]] std::vector<Candidate> prices_by_critical_path(const Facts& facts,
                                                             const Machine& machine);

}  // namespace roundelay::choose
