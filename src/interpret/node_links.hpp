// SPDX-License-Identifier: Apache-2.0
// What a call takes where the ranks of a node share its link to the others.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "interpret/call.hpp"
#include "interpret/run_budget.hpp"
#include "interpret/unsteady.hpp"

namespace roundelay::interpret {

// Seconds, and seconds a byte. A transfer starts when both sides have posted it. Between nodes it
// passes the link of the sender's node and then that of the receiver's, each direction of which
// carries one byte after the other, first come, first served; within a node it passes no link, but
// is copied in and out: an exposed block is copied in once for all its readers.
// The parts of another level may take the place of the nodes: sites, of which the ranks share the
// way to another.
struct NodeLinks {
  double startup = 0;
  double gap = 0;  // at least, between two messages that a rank sends, or that it receives
  double byte = 0;
  double rank_byte = 0;  // at least, where a rank's own link is slower than what ranks share
  // The same within a node; twice as much for a message that outlasts its round, if all ranks are
  // on one node.
  double near_startup = 0;
  double near_byte = 0;
  double step_byte = 0;  // of what a rank combines or copies
  // The ranks of a node share its cores: what they copy and combine takes turns.
  bool near_in_turn = false;
  // Where two ranks of different nodes send each other messages of `crossing` bytes or more at
  // once, the second takes this many times as long. If for both it is the first message to another
  // node they mostly begin together, so that only a little of this counts.
  double pairing = 1;
  double crossing = 0;
  double eager = 0;  // so long a message leaves before its receiver is there; its sender goes on
  std::span<const double> taper = {};  // between nodes: see Taper
  // What ranks take longer that are not in step, beside that.
  Unsteadiness unsteady = {};
  Level level = Level::nodes;
};

struct Traffic {
  double seconds = 0;          // until the last rank ends
  std::vector<Units> leaving;  // bytes, of each node
  std::vector<Units> entering;
  int ranks_that_share = 0;  // a node's link: at most so many of them send to other nodes
  // By which share of its units what the rank takes longer that does most: see Unsteadiness. Where
  // ranks share a link, buffers hold none of it.
  double unsteady = 0;
  bool keeps_partners = true;  // every rank sends to one other and receives from one
  bool all_rounds = true;      // else the first ones, or the first blocks, stand for all
};

// Runs the schedules of all ranks of a case whose topology says where they are; the unit of the
// case is a byte. Of a ring, or a pipeline, that has more transfers than there is budget for, the
// first rounds or blocks stand for all. No value: the run was given up. Throws as price() does. The
// same on every machine that adds and compares as IEEE 754 says.
[[nodiscard]] std::optional<Traffic> run_over_nodes(const Choice& choice, const Case& of,
                                                    const NodeLinks& links, RunBudget& budget);

}  // namespace roundelay::interpret
