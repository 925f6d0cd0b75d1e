// SPDX-License-Identifier: Apache-2.0
// The machine that a program runs on, with the MPI library of this build.
#pragma once

#include "preload/names.hpp"

namespace roundelay::preload {

// The machine, with what was measured of the network between nodes, if anything was.
[[nodiscard]] Machine machine_with(const NetworkSpeed& speed);

// A node whose ranks share memory.
[[nodiscard]] Machine machine_in_memory();

}  // namespace roundelay::preload
