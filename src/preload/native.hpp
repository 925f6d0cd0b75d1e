// SPDX-License-Identifier: Apache-2.0
// The MPI library's own functions, or those of another tool that stands between it and us.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

namespace roundelay::preload {

// The next definition of `name` after this library's, e.g. a profiler's MPI_Bcast; `standard`, the
// PMPI function, where there is none.
template <typename Function>
[[nodiscard]] Function* next_definition(const char* name, Function* standard) {
  void* next = dlsym(RTLD_NEXT, name);
  return next != nullptr ? reinterpret_cast<Function*>(next) : standard;
}

// Those of the collectives are in the list in entry_points.py.
struct Native {
#include "entry_points/native.inc"
  decltype(&MPI_Finalize) finalize = next_definition("MPI_Finalize", PMPI_Finalize);
};

// Resolved while the library is loaded.
extern const Native native;

}  // namespace roundelay::preload
