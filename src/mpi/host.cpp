// SPDX-License-Identifier: Apache-2.0
#include "mpi/host.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>

namespace roundelay::mpi {

std::string host_name() {
  std::array<char, 256> host{};
#if ROUNDELAY_SIMGRID
  // All ranks are in one process; only SimGrid knows on which hosts they are.
  int length = 0;
  PMPI_Get_processor_name(host.data(), &length);
#else
  gethostname(host.data(), host.size() - 1);
#endif
  return host.data();
}

}  // namespace roundelay::mpi
