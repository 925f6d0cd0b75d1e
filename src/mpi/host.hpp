// SPDX-License-Identifier: Apache-2.0
// The machine that a rank runs on.
#pragma once

#include <string>

namespace roundelay::mpi {

// As ROUNDELAY_SITES and ROUNDELAY_NODES know it.
[[nodiscard]] std::string host_name();

}  // namespace roundelay::mpi
