// SPDX-License-Identifier: Apache-2.0
#include "simulate/rendezvous.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <simgrid/s4u.hpp>
#include <vector>

namespace roundelay::simulate {

double now() { return simgrid::s4u::Engine::get_clock(); }

double start_together() {
  std::array<double, 1> latest{now()};
  agree_on_maxima(latest);
  // Simulated seconds cost nothing, and no message is under way for one.
  const double start = std::ceil(latest.front()) + 1;
  simgrid::s4u::this_actor::sleep_until(start);
  return start;
}

// Dissemination: in each round twice as many have heard of a rank. To hear of one twice does no
// harm to a maximum.
void agree_on_maxima(std::span<double> values) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<double> others(values.size());
  const auto count = static_cast<int>(values.size());
  for (int distance = 1; distance < size; distance *= 2) {
    PMPI_Sendrecv(values.data(), count, MPI_DOUBLE, (rank + distance) % size, 0, others.data(),
                  count, MPI_DOUBLE, (rank - distance + size) % size, 0, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
    std::ranges::transform(values, others, values.begin(),
                           [](double mine, double theirs) { return std::max(mine, theirs); });
  }
}

}  // namespace roundelay::simulate
