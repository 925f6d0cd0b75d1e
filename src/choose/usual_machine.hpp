// SPDX-License-Identifier: Apache-2.0
// What is known of an MPI library, a network and a node before it is measured. The values are in
// the files of machines/, with their sources.
#pragma once

#include <cstdint>
#include <optional>

#include "choose/machine.hpp"

namespace roundelay::choose {

enum class Library : std::uint8_t { open_mpi, mpich, other };

// Between nodes, where a message takes so many seconds to start, if that was measured. The rate has
// to be measured as well.
[[nodiscard]] Machine usual_machine(Library library, std::optional<double> startup);

// A node whose ranks share memory.
[[nodiscard]] Machine machine_in_memory(Library library);

}  // namespace roundelay::choose
