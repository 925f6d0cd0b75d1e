// SPDX-License-Identifier: Apache-2.0
// The MPI library's own functions, or those of another tool that stands between it and us.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

namespace roundelay {

// The next definition of `name` after this library's, e.g. a profiler's MPI_Bcast; `standard`, the
// PMPI function, where there is none.
template <typename Function>
[[nodiscard]] Function* next_definition(const char* name, Function* standard) {
  void* next = dlsym(RTLD_NEXT, name);
  return next != nullptr ? reinterpret_cast<Function*>(next) : standard;
}

struct Native {
  decltype(&MPI_Allgather) allgather = next_definition("MPI_Allgather", PMPI_Allgather);
  decltype(&MPI_Allreduce) allreduce = next_definition("MPI_Allreduce", PMPI_Allreduce);
  decltype(&MPI_Barrier) barrier = next_definition("MPI_Barrier", PMPI_Barrier);
  decltype(&MPI_Bcast) bcast = next_definition("MPI_Bcast", PMPI_Bcast);
  decltype(&MPI_Reduce) reduce = next_definition("MPI_Reduce", PMPI_Reduce);
  decltype(&MPI_Finalize) finalize = next_definition("MPI_Finalize", PMPI_Finalize);
#if ROUNDELAY_HAVE_LARGE_COUNT
  decltype(&MPI_Allgather_c) allgather_c = next_definition("MPI_Allgather_c", PMPI_Allgather_c);
  decltype(&MPI_Allreduce_c) allreduce_c = next_definition("MPI_Allreduce_c", PMPI_Allreduce_c);
  decltype(&MPI_Bcast_c) bcast_c = next_definition("MPI_Bcast_c", PMPI_Bcast_c);
  decltype(&MPI_Reduce_c) reduce_c = next_definition("MPI_Reduce_c", PMPI_Reduce_c);
#endif
};

// Resolved while the library is loaded.
extern const Native native;

}  // namespace roundelay
