// SPDX-License-Identifier: Apache-2.0
// The MPI library that the program runs.
#pragma once

#include <string>

namespace roundelay::mpi {

// Its name and version, as "Open MPI v4.1.4".
[[nodiscard]] std::string library_name();

// Whether it is of the kind that this build is for.
[[nodiscard]] bool is_own_library();

// Ends the program where it is of another kind: their handles are different, so that not even a
// call that is passed on would work.
void require_own_library();

}  // namespace roundelay::mpi
