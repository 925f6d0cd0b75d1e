// SPDX-License-Identifier: Apache-2.0
// Memory that is the same for all simulated ranks. It takes no room, and nothing is written to it:
// what it holds says nothing, and copying would take most of the time of a simulation.
#pragma once

#include <cstddef>

namespace roundelay::simulate {

void* allocate_shared(std::size_t bytes);
void free_shared(void* memory);

// From now on this rank's large aligned memory, as a schedule's scratch, is shared, too.
void share_large_memory() noexcept;

}  // namespace roundelay::simulate
