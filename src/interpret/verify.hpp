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

#include "interpret/problem.hpp"
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

// A length for which the claims hold exactly, the next one that is no less than m, and whether m
// itself is.
[[nodiscard]] Units exact_length(const Choice& choice, int p);
[[nodiscard]] Units next_exact_length(const Choice& choice, int p, Units m);
[[nodiscard]] bool claims_are_exact(const Choice& choice, int p, Units m);

// A sentence if rounds or volume are not the claimed ones, or, where less will do or no more is
// claimed, exceed them.
[[nodiscard]] std::string claim_error(const Choice& choice, const Dimensions& of,
                                      const Proof& measured, bool less_will_do);

// The cases that prove an algorithm for p ranks: an exact length and, up to 40 ranks, lengths that
// do not divide, and those around the lengths at which a parameter switches that is left to the
// algorithm; another network for one of them, or for each where a parameter is left to the
// algorithm; every root up to 17 ranks (6 where nodes or sites count), else four of them; both
// kinds of operation; in place or not; blocks of every distribution where they may be of any
// length, the uneven ones in another place on each rank and with gaps where MPI has displacements;
// some numbers of receivers where there are two groups; some nodes or sites where the
// algorithm asks for them; some graphs where ranks have neighbours. None if a restriction of the
// algorithm does not hold for p ranks.
[[nodiscard]] std::vector<Case> cases_of(const Choice& choice, int p);
// Of a shape only its ranks, receivers, topology and graph count.
// With `root`, only those of that root, where there is such a rank.
[[nodiscard]] std::vector<Case> cases_of(const Choice& choice, const Case& shape,
                                         std::optional<int> root = std::nullopt);
// The shapes in these cases: one, or some numbers of receivers, or some topologies, or graphs.
[[nodiscard]] std::vector<Case> shapes_of(const Choice& choice, int p);
// Whether results that were combined in so many different orders, in cases of p ranks together,
// were combined in an order that depends on nothing but p and, in scans, whose result it is.
[[nodiscard]] bool is_fixed(Collective collective, int p, const std::set<std::uint64_t>& orders);
// All of them; the first failure, its sentence preceded by the case, or ok with rounds and volume
// of the exact length, which for the worst of the roots must be the claimed. What is thrown is a
// failure, too, but for std::invalid_argument, std::bad_alloc and Stopped. A fixed order is one for
// all shapes together.
struct ProofOptions {
  std::optional<int> root = std::nullopt;  // only this one
  std::stop_token stop = {};               // see verify()
};
[[nodiscard]] Proof prove(const Choice& choice, int p, const ProofOptions& options = {});
[[nodiscard]] Proof prove(const Choice& choice, const Case& shape,
                          const ProofOptions& options = {});

}  // namespace roundelay::interpret
