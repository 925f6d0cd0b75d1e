// SPDX-License-Identifier: Apache-2.0
// How the program ends if what the user asked for cannot be done.
#pragma once

#include <string>

#include "preload/names.hpp"

namespace roundelay::preload {

// Ends the program: the rank that `speaks` prints "roundelay: error: " and why. All ranks of the
// communicator have to call it, one of them speaks.
[[noreturn]] void give_up(const Communicator& comm, const std::string& why, bool speaks);
// Rank 0 speaks.
[[noreturn]] void give_up(const Communicator& comm, const std::string& why);

}  // namespace roundelay::preload
