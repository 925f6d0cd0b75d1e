// SPDX-License-Identifier: Apache-2.0
#include "mpi/ping.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "mpi/waiting.hpp"

namespace roundelay {

namespace {

constexpr int tag = 2;

void exchange(std::vector<std::byte>& message, int bytes, int peer, bool first, MPI_Comm comm) {
  for (const bool sends : {first, !first}) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (sends) {
      PMPI_Isend(message.data(), bytes, MPI_BYTE, peer, tag, comm, &request);
    } else {
      PMPI_Irecv(message.data(), bytes, MPI_BYTE, peer, tag, comm, &request);
    }
    wait_for(request);
  }
}

}  // namespace

double one_way(int bytes, int times, int peer, bool first, MPI_Comm comm) {
  std::vector<std::byte> message(static_cast<std::size_t>(bytes));
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const double start = PMPI_Wtime();
    exchange(message, bytes, peer, first, comm);
    least = std::min(least, (PMPI_Wtime() - start) / 2);
  }
  return least;
}

}  // namespace roundelay
