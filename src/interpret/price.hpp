// SPDX-License-Identifier: Apache-2.0
// price: how long a schedule takes in a model of a network.
#pragma once

#include <stop_token>

#include "interpret/call.hpp"
#include "interpret/stopped.hpp"

namespace roundelay::interpret {

// A transfer starts when both sides have posted it and have a port free (first matched, first
// served); it takes alpha + beta * bytes and occupies one sending and one receiving port meanwhile.
// To combine costs gamma a byte, to copy nothing. Seconds, and seconds a byte.
struct Network {
  double alpha = 0;
  double beta = 0;
  double gamma = 0;
  int ports = 1;  // of each rank, in each direction
  // Two levels: ranks are placed in blocks on nodes; within one, transfers take alpha_node and
  // beta_node.
  int ranks_per_node = 1;
  double alpha_node = 0;
  double beta_node = 0;
};

// Seconds until the last rank ends. The unit of the case is a byte. Throws std::invalid_argument
// where Call does and where more messages are in flight than fit into memory, Broken where the
// schedules cannot be run, and Stopped soon after `stop` says so. Safe to call from many threads.
[[nodiscard]] double price(const Choice& choice, const Case& of, const Network& network,
                           const std::stop_token& stop = {});
[[nodiscard]] double price(int p, const Schedules& schedules, const Network& network,
                           const std::stop_token& stop = {});

}  // namespace roundelay::interpret
