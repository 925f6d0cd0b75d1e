// SPDX-License-Identifier: Apache-2.0
// What this process knows of the network between nodes.
#pragma once

#include "mpi/communicator.hpp"
#include "preload/names.hpp"

namespace roundelay::preload {

// What it last measured, or was told by other ranks.
[[nodiscard]] NetworkSpeed known_network();

// Collective over all ranks of the communicator, which know `speed` until now: they measure what
// is missing, unless the user says it.
[[nodiscard]] NetworkSpeed measured_or_said(Communicator& comm, NetworkSpeed speed);

}  // namespace roundelay::preload
