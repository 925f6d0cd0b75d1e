// SPDX-License-Identifier: Apache-2.0
// Scratch of simulated ranks that takes no room: see Pages::shared.
#pragma once

namespace roundelay::simulate {

// From now on this rank's large aligned memory is a piece that all ranks share.
void share_large_memory() noexcept;

}  // namespace roundelay::simulate
