// SPDX-License-Identifier: Apache-2.0
// history: what every rank holds after each of its rounds and what every message carries, for
// pictures.
//
// The traced rounds are run on symbolic contents: a unit is known by the ranks that contributed to
// it and by its place among what each of them was given. Nothing is proven; verify does that.
#pragma once

#include <vector>

#include "interpret/trace.hpp"

namespace roundelay::interpret {

// `length` units of the same contributors, whose places are `index`, `index` + 1, ..
struct Piece {
  std::vector<int> ranks;
  Units index = 0;
  Units length = 0;
};

struct Held {
  Slice where;
  Piece what;
  bool needed = false;  // it will be sent or combined, or is part of the result
};

struct HeldState {
  int step = 0;  // how many steps are over, see Delivery
  std::vector<Held> holds;
  std::vector<int> heard;  // who is known to have entered; only of a schedule with tokens
};

// A message. It passes in the first step in which both sides have posted it, where a step is the
// time of one message, and a rank enters a round in the step after its round before.
struct Delivery {
  int from = 0;
  int to = 0;
  int from_round = 0;  // the number of the sender's own round
  int to_round = 0;
  int step = 0;
  bool token = false;
  bool exposed = false;
  std::vector<Piece> pieces;
};

struct History {
  int steps = 0;
  std::vector<std::vector<HeldState>> ranks;  // of each: at the start, then after each round
  std::vector<Delivery> deliveries;           // by step and sender
};

// Throws std::runtime_error, whose sentence says where and why, if the rounds cannot be run.
[[nodiscard]] History history(const Trace& trace);

}  // namespace roundelay::interpret
