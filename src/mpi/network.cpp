// SPDX-License-Identifier: Apache-2.0
#include "mpi/network.hpp"

#include <algorithm>

#include "mpi/ping.hpp"
#include "mpi/waiting.hpp"

namespace roundelay {

namespace {

std::uint64_t power_below(double seconds) {
  return static_cast<std::uint64_t>(std::clamp(std::round(-std::log2(seconds)), 1.0, 62.0));
}

}  // namespace

NetworkSpeed measure_network(Communicator& comm, std::uint64_t node) {
  std::uint64_t first_node = node;
  PMPI_Bcast(&first_node, 1, MPI_UINT64_T, 0, comm.everybody());
  int peer = node != first_node ? comm.rank() : comm.size();
  PMPI_Allreduce(MPI_IN_PLACE, &peer, 1, MPI_INT, MPI_MIN, comm.everybody());
  if (peer == comm.size() || comm.own() == MPI_COMM_NULL) return {};
  const MPI_Comm own = comm.own();
  const bool first = comm.rank() == 0;
  const bool measures = first || comm.rank() == peer;
  const int other = first ? peer : 0;
  const auto startup_now = [&] {
    constexpr int short_message = 8;
    return one_way(short_message, 20, other, first, own);
  };
  NetworkSpeed speed;
  double startup = 0;
  if (measures) {
    constexpr int long_message = 1 << 16;
    startup = startup_now();
    const double whole = one_way(long_message, 5, other, first, own);
    const double least_byte = 1e-12;
    speed.beta = power_below(std::max(least_byte, (whole - startup) / long_message));
    speed.gap = power_below(gap(startup, other, first, own));
    speed.paced = NetworkSpeed::coded(handshake(other, own));
  }
  // The others wait as suits the machine, here and below: where they share its cores they would be
  // what is measured.
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(own, &request);
  wait_for(request);
  const double round = round_of_all(own);
  // Once more, later: the number of blocks hangs on it, and the machine may have been busy.
  if (measures) startup = std::min(startup, startup_now());
  if (first) {
    speed.alpha = power_below(startup);
    speed.crowd = NetworkSpeed::coded(std::max(1.0, round / startup));
  }
  PMPI_Ibcast(&speed, sizeof speed, MPI_BYTE, 0, own, &request);
  wait_for(request);
  return speed;
}

}  // namespace roundelay
