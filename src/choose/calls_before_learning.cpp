// SPDX-License-Identifier: Apache-2.0
#include "choose/calls_before_learning.hpp"

#include <algorithm>
#include <bit>

#include "choose/learner.hpp"
#include "choose/model/cost.hpp"

namespace roundelay::choose {

namespace {

// They take a millisecond, if they are as fast as messages can be. The first one may have set up
// connections.
std::int64_t calls_worth_learning(const Facts& call, const Machine& machine) {
  constexpr double most = 4096;
  const double seconds = startup_of(call, machine) + machine.beta * static_cast<double>(call.bytes);
  return 1 + static_cast<std::int64_t>(std::min(most, Learner::least_total / seconds));
}

// The search is within the share of their time that learning may cost, if they take as long as the
// start-ups of a tree.
std::int64_t calls_worth_searching(const Facts& call, const Machine& machine, double search) {
  constexpr double most = 1e6;
  const int rounds = std::bit_width(static_cast<unsigned>(call.ranks - 1));
  const double seconds = startup_of(call, machine) * rounds;
  return static_cast<std::int64_t>(std::min(most, search / Learner::share / seconds));
}

}  // namespace

// With native algorithms nothing is lost meanwhile, and with short messages little is to be gained.
std::int64_t calls_before_learning(const Facts& call, const Machine& machine, bool is_native,
                                   double search) {
  const std::int64_t calls = calls_worth_learning(call, machine);
  const bool knows_length = call.bytes > 0 || call.collective == Collective::barrier;
  const bool is_short = machine.beta * static_cast<double>(call.bytes) <= startup_of(call, machine);
  const bool may_wait = is_native && knows_length && is_short && !native_waits(call, machine);
  return may_wait ? std::max(calls, calls_worth_searching(call, machine, search)) : calls;
}

}  // namespace roundelay::choose
