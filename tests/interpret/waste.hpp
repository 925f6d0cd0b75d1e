// SPDX-License-Identifier: Apache-2.0
// waste: what a schedule does that nobody needs.
#pragma once

#include <string>
#include <vector>

#include "interpret/trace.hpp"

namespace roundelay::interpret {

// A sentence for each message with a unit that its receiver never uses, each message with a unit
// that its receiver holds anyway, and each local step with a unit of whose result nothing is used.
// A unit is used if it is sent on, combined or copied into what is used, or part of the result.
// Throws std::runtime_error where history does. Unit by unit: for short messages.
[[nodiscard]] std::vector<std::string> waste(const Trace& trace);

}  // namespace roundelay::interpret
