// SPDX-License-Identifier: Apache-2.0
// The machine that a program runs on, with the MPI library of this build.
#pragma once

#include "preload/names.hpp"

namespace roundelay::preload {

// What was measured between nodes, and for the rest what is usual.
[[nodiscard]] Machine measured_machine(const NetworkSpeed& speed);

// The machine, with what was measured of the network between nodes, if anything was, and what the
// user says.
[[nodiscard]] Machine machine_with(const NetworkSpeed& speed);

// A node whose ranks share memory.
[[nodiscard]] Machine machine_in_memory();

}  // namespace roundelay::preload
