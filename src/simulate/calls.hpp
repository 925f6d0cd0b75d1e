// SPDX-License-Identifier: Apache-2.0
// The collectives that can be simulated: how each is called, and what it has to give.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulate/message.hpp"

namespace roundelay::simulate {

// even:   a block of one length for each rank;
// any:    also of other distributions, see Message;
// groups: a block for each of some ranks, which send to the others.
enum class Parts : std::uint8_t { even, any, groups };

struct SimulatedCall {
  std::string_view name;
  void (*call)(const Message&);
  // How many numbers this rank receives, and which each has to be.
  int (*received)(const Message&);
  unsigned (*expected)(const Message&, int index);
  Parts parts;
};

// Throws std::invalid_argument.
[[nodiscard]] const SimulatedCall& simulated_call(std::string_view name);

// Whether what this rank received is right.
[[nodiscard]] bool is_right(const SimulatedCall& call, const Message& message);

}  // namespace roundelay::simulate
