// SPDX-License-Identifier: Apache-2.0
// verify: proves that a schedule does what its collective is defined to do, for one number of
// ranks.
//
// All ranks run in lockstep on symbolic contents. Proven: what is sent or combined is there;
// messages match and have equal lengths; nothing deadlocks; slices lie inside their space and
// nothing that is in flight is touched; a rank uses no more ports than it may; the input is left
// alone, and the output where there is no result; every result is what the definition says, of the
// same bits on every rank; rounds, volume and what goes between sites are the claimed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "interpret/call.hpp"
#include "interpret/stopped.hpp"

namespace roundelay::interpret {

struct Proof {
  bool ok = false;
  std::string error;  // a sentence that names rank, round, peer and slice; empty if ok
  int rounds = 0;     // rounds with a transfer, of the rank that has most
  Units volume = 0;   // units sent or received (the greater), of the rank that moves most
  // What went between sites (between nodes where sites are not known), of all ranks together.
  Units far_messages = 0;
  Units far_volume = 0;
  // Where data is combined: the orders in which results were, see Expressions::order.
  std::set<std::uint64_t> orders = {};
  std::int64_t cases = 0;  // of prove(): how many were proven before the first failure
};

// Runs one case. Where the claims are exact (see claims_are_exact) rounds and volume must be equal
// to them, or, as a claim is for the worst root, not be greater if there is a root (or if they
// claim no more). Throws std::invalid_argument where Call does, and Stopped soon after `stop` says
// so. Safe to call from many threads.
[[nodiscard]] Proof verify(const Choice& choice, const Case& of, const std::stop_token& stop = {});
// The same for schedules that come from elsewhere; they must be those of `call` or take their
// place.
[[nodiscard]] Proof verify(const Call& call, const Schedules& schedules,
                           const std::stop_token& stop = {});

// A sentence if rounds or volume are not the claimed ones, or, where less will do or no more is
// claimed, exceed them.
[[nodiscard]] std::string claim_error(const Choice& choice, const Dimensions& of,
                                      const Proof& measured, bool less_will_do);

}  // namespace roundelay::interpret
