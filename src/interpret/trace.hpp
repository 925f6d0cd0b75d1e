// SPDX-License-Identifier: Apache-2.0
// trace: what every rank does, as plain data, for pictures, simulators and independent checkers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interpret/call.hpp"

namespace roundelay::interpret {

struct TracedTransfer {
  Transfer::Direction direction = Transfer::Direction::send;
  int peer = 0;
  Transfer::Kind kind = Transfer::Kind::data;
  Fence due = this_round;  // when it has to be complete, see Fence
  std::vector<Slice> slices;

  [[nodiscard]] bool token() const noexcept { return kind == Transfer::Kind::token; }
  [[nodiscard]] bool exposed() const noexcept { return kind == Transfer::Kind::exposed; }
};

struct TracedRound {
  Fence fence = this_round;  // waited for before the round starts; 0: none
  std::vector<TracedTransfer> transfers;
  std::vector<LocalStep> steps;
};

// All that a rank yields, in order, without transfers that do not happen and steps of length 0.
struct RankTrace {
  std::vector<TracedRound> rounds;
  Units input = 0;  // units of each space
  Units output = 0;
  Units scratch = 0;
  Slice given;   // filled before the first round
  Slice wanted;  // to be the result after the last
};

struct Trace {
  std::string collective;
  std::string algorithm;  // with its parameters
  Case of;
  std::vector<RankTrace> ranks;
};

// Throws std::invalid_argument where Call does. Safe to call from many threads.
[[nodiscard]] Trace trace(const Choice& choice, const Case& of);
[[nodiscard]] Trace trace(const Call& call, const Schedules& schedules);

// A schedule that yields the traced rounds again. Refers to the trace, which must outlive it.
[[nodiscard]] Schedule replay(const RankTrace& trace);

// The schedule in GOAL, the language of LogGOPSim and ATLAHS. Units are bytes; a token is a message
// of one byte; a combine is a calculation of `nanoseconds_per_unit` a unit.
[[nodiscard]] std::string goal(const Trace& trace, double nanoseconds_per_unit = 0);

}  // namespace roundelay::interpret
