// SPDX-License-Identifier: Apache-2.0
// A machine as the model sees it.
#pragma once

#include <vector>

namespace roundelay::choose {

// In seconds: of a message, of a byte, of a combined byte.
struct Machine {
  double alpha = 1e-6;
  double oversubscribed_alpha = 5e-5;  // until the other rank has the core
  double gap = 2.5e-7;  // of alpha: from a message to the next that does not wait for it
  double crowding = 1;  // how many times as long alpha and gap are where all ranks send at once
  double beta = 2e-10;
  double gamma = 1e-10;
  // Within a node, through shared memory: a message is copied twice.
  double near_alpha = 1e-6;
  double near_beta = 5e-10;
  // Between nodes: flows that share a link share its rate, so that a pipeline whose ranks drift
  // takes this many times as long, at least as what is in flight together (see queueing); and a
  // paced round needs a handshake, which takes this many start-ups.
  double drift = 1.2;
  // How many bytes the buffers of a network hold: nobody waits for others that drift, but what a
  // rank sends leaves together.
  double absorbed = 0;
  // Exchanges of pairs take so many times as long, in messages of so many bytes or more.
  double pairing = 1;
  double crossing = 0;
  double handshake = 2;
  // Messages of a rank that are in flight together wait for each other at one end or the other
  // (simulated with 7 to 128 ranks).
  double queueing = 1.2;
  // Several ranks that send through one link do not take turns as well as one rank uses it: so many
  // times as long.
  double sharing = 1;
  // How many times as long as to the next node a byte takes where all nodes send at once to the one
  // 2, 4, 8, .. further on, and from there up to the next of these. None: the network carries what
  // its nodes can send, whoever gets it.
  std::vector<double> taper = {};
  // If the nodes are a torus, in the order of the ranks: the lengths of its dimensions, the first
  // one that of nodes with consecutive numbers; and what each link of a way but the first takes.
  std::vector<int> torus = {};
  double hop = 0;
  // Whether paced pipelines are slower, byte by byte, of long messages than of short ones.
  bool short_pipelines = false;
  // Between sites; a byte is one of all that the ranks of a site send at once. 0: nobody knows.
  double far_alpha = 0;
  double far_beta = 0;
  // Whether the MPI library gives its core away while it waits. If not, a rank that has no core
  // gets one at the end of a time slice (Linux: 3 ms where nothing else is set).
  bool native_shares_cores = false;
  double time_slice = 3e-3;
  // Whether its alltoall sends all messages at once, however long and many they are, and alltoallv
  // and alltoallw to the same rank at first; and an allgather that does not wait each block to each
  // rank.
  bool native_floods = false;
  // Whether its alltoallv and alltoallw keep some blocks under way, of each rank to others.
  bool native_scatters = false;
  // Whether it takes a good algorithm where what matters is start-ups.
  bool native_leads_when_short = false;

  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace roundelay::choose
