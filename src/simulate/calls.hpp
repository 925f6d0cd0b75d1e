// SPDX-License-Identifier: Apache-2.0
// The collectives that can be simulated: how each is called, and what it has to give.
#pragma once

#include <string_view>

#include "algorithms/catalogue.hpp"
#include "simulate/message.hpp"

namespace roundelay::simulate {

// Between two groups, some ranks send to the others.
struct SimulatedCall {
  Collective collective;
  Groups groups;
  void (*call)(const Message&);
};

// Throws std::invalid_argument.
[[nodiscard]] const SimulatedCall& simulated_call(std::string_view name);

// Whether what this rank received is right.
[[nodiscard]] bool is_right(const SimulatedCall& call, const Message& message);

}  // namespace roundelay::simulate
