// SPDX-License-Identifier: Apache-2.0
// What is known of a machine and its MPI library before anything is measured.
#pragma once

#include "choose/chooser.hpp"
#include "mpi/network_speed.hpp"

namespace roundelay {

// The machine, with what was measured of the network between nodes, if anything was.
[[nodiscard]] Machine machine_with(const NetworkSpeed& speed);

}  // namespace roundelay
