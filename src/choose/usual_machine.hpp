// SPDX-License-Identifier: Apache-2.0
// What is known of an MPI library and of a node before anything is measured.
#pragma once

#include <cstdint>

#include "choose/machine.hpp"

namespace roundelay::choose {

enum class Library : std::uint8_t { open_mpi, mpich, other };

// With the default start-up and rate: those of the network have to be measured.
[[nodiscard]] Machine usual_machine(Library library);

// A node whose ranks share memory.
[[nodiscard]] Machine machine_in_memory(Library library);

}  // namespace roundelay::choose
