// SPDX-License-Identifier: Apache-2.0
// How the program ends if what the user asked for cannot be done.
#pragma once

#include <string>

#include "preload/names.hpp"

namespace roundelay::preload {

// Ends the program. All ranks of the communicator have to call it; one of them `prints` "roundelay:
// error: " and why.
[[noreturn]] void abort_program(const Communicator& comm, const std::string& why, bool prints);
// Rank 0 prints.
[[noreturn]] void abort_program(const Communicator& comm, const std::string& why);

}  // namespace roundelay::preload
