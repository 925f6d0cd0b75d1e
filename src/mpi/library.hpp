// SPDX-License-Identifier: Apache-2.0
// The MPI library that the program runs.
#pragma once

#include <string>

namespace roundelay::mpi {

// Its name and version, as "Open MPI v4.1.4".
[[nodiscard]] std::string library_name();

// Ends the program where its MPI library is of another kind than the one that this build is for:
// their handles are different, so that not even a call that is passed on would work.
void require_own_library();

}  // namespace roundelay::mpi
