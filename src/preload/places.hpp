// SPDX-License-Identifier: Apache-2.0
// Where this process is: by what the user says, else by what the system says.
#pragma once

#include <cstdint>
#include <string>

namespace roundelay::preload {

// Of MPI_COMM_WORLD, and in it.
[[nodiscard]] int world_size();
[[nodiscard]] int world_rank();
// Whether MPI_Comm_spawn started this world.
[[nodiscard]] bool was_spawned();
// Once MPI is initialized, since the program may disconnect from the parent later.
void notice_parent();
// Equal on ranks that share memory.
[[nodiscard]] std::uint64_t node_of_process();
// Equal on ranks at one site; 0 where the user says nothing of sites.
[[nodiscard]] std::uint64_t site_of_process();
// Empty if ROUNDELAY_NODES and ROUNDELAY_SITES fit MPI_COMM_WORLD, else what is wrong with them.
[[nodiscard]] std::string wrong_placement();

}  // namespace roundelay::preload
