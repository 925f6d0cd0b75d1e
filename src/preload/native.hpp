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

struct Native {
  decltype(&MPI_Allgather) allgather = next_definition("MPI_Allgather", PMPI_Allgather);
  decltype(&MPI_Allgatherv) allgatherv = next_definition("MPI_Allgatherv", PMPI_Allgatherv);
  decltype(&MPI_Allreduce) allreduce = next_definition("MPI_Allreduce", PMPI_Allreduce);
  decltype(&MPI_Alltoall) alltoall = next_definition("MPI_Alltoall", PMPI_Alltoall);
  decltype(&MPI_Alltoallv) alltoallv = next_definition("MPI_Alltoallv", PMPI_Alltoallv);
  decltype(&MPI_Alltoallw) alltoallw = next_definition("MPI_Alltoallw", PMPI_Alltoallw);
  decltype(&MPI_Barrier) barrier = next_definition("MPI_Barrier", PMPI_Barrier);
  decltype(&MPI_Bcast) bcast = next_definition("MPI_Bcast", PMPI_Bcast);
  decltype(&MPI_Exscan) exscan = next_definition("MPI_Exscan", PMPI_Exscan);
  decltype(&MPI_Gather) gather = next_definition("MPI_Gather", PMPI_Gather);
  decltype(&MPI_Gatherv) gatherv = next_definition("MPI_Gatherv", PMPI_Gatherv);
  decltype(&MPI_Reduce) reduce = next_definition("MPI_Reduce", PMPI_Reduce);
  decltype(&MPI_Reduce_scatter) reduce_scatter =
      next_definition("MPI_Reduce_scatter", PMPI_Reduce_scatter);
  decltype(&MPI_Reduce_scatter_block) reduce_scatter_block =
      next_definition("MPI_Reduce_scatter_block", PMPI_Reduce_scatter_block);
  decltype(&MPI_Scan) scan = next_definition("MPI_Scan", PMPI_Scan);
  decltype(&MPI_Scatter) scatter = next_definition("MPI_Scatter", PMPI_Scatter);
  decltype(&MPI_Scatterv) scatterv = next_definition("MPI_Scatterv", PMPI_Scatterv);
  decltype(&MPI_Finalize) finalize = next_definition("MPI_Finalize", PMPI_Finalize);
#if ROUNDELAY_HAVE_LARGE_COUNT
  decltype(&MPI_Allgather_c) allgather_c = next_definition("MPI_Allgather_c", PMPI_Allgather_c);
  decltype(&MPI_Allgatherv_c) allgatherv_c = next_definition("MPI_Allgatherv_c", PMPI_Allgatherv_c);
  decltype(&MPI_Allreduce_c) allreduce_c = next_definition("MPI_Allreduce_c", PMPI_Allreduce_c);
  decltype(&MPI_Alltoall_c) alltoall_c = next_definition("MPI_Alltoall_c", PMPI_Alltoall_c);
  decltype(&MPI_Alltoallv_c) alltoallv_c = next_definition("MPI_Alltoallv_c", PMPI_Alltoallv_c);
  decltype(&MPI_Alltoallw_c) alltoallw_c = next_definition("MPI_Alltoallw_c", PMPI_Alltoallw_c);
  decltype(&MPI_Bcast_c) bcast_c = next_definition("MPI_Bcast_c", PMPI_Bcast_c);
  decltype(&MPI_Exscan_c) exscan_c = next_definition("MPI_Exscan_c", PMPI_Exscan_c);
  decltype(&MPI_Gather_c) gather_c = next_definition("MPI_Gather_c", PMPI_Gather_c);
  decltype(&MPI_Gatherv_c) gatherv_c = next_definition("MPI_Gatherv_c", PMPI_Gatherv_c);
  decltype(&MPI_Reduce_c) reduce_c = next_definition("MPI_Reduce_c", PMPI_Reduce_c);
  decltype(&MPI_Reduce_scatter_c) reduce_scatter_c =
      next_definition("MPI_Reduce_scatter_c", PMPI_Reduce_scatter_c);
  decltype(&MPI_Reduce_scatter_block_c) reduce_scatter_block_c =
      next_definition("MPI_Reduce_scatter_block_c", PMPI_Reduce_scatter_block_c);
  decltype(&MPI_Scan_c) scan_c = next_definition("MPI_Scan_c", PMPI_Scan_c);
  decltype(&MPI_Scatter_c) scatter_c = next_definition("MPI_Scatter_c", PMPI_Scatter_c);
  decltype(&MPI_Scatterv_c) scatterv_c = next_definition("MPI_Scatterv_c", PMPI_Scatterv_c);
#endif
};

// Resolved while the library is loaded.
extern const Native native;

}  // namespace roundelay::preload
