// SPDX-License-Identifier: Apache-2.0
#include "mpi/network.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "algorithms/parts/pipeline.hpp"
#include "mpi/executor.hpp"
#include "mpi/ping.hpp"
#include "mpi/waiting.hpp"

namespace roundelay {

namespace {

std::uint64_t power_below(double seconds) {
  return static_cast<std::uint64_t>(std::clamp(std::round(-std::log2(seconds)), 1.0, 62.0));
}

// The others wait as suits the machine: where they share its cores they would be what is measured.
void meet(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(comm, &request);
  wait_for(request);
}

// Collective: seconds a byte in a paced pipeline whose messages are so long.
double seconds_a_byte(Units message, Communicator& comm) {
  constexpr Units whole = 32 * short_message;
  const auto blocks = static_cast<int>(whole / message);
  std::vector<std::byte> bytes(whole);
  const Memory memory{.base = {bytes.data(), bytes.data(), bytes.data()},
                      .type = describe(MPI_BYTE),
                      .op = MPI_OP_NULL};
  Executor executor;
  std::array<double, 3> seconds{};
  for (double& one : seconds) {
    meet(comm.own());
    one = -PMPI_Wtime();
    Schedule schedule =
        circulant_bcast(Group(comm.rank(), comm.size()), 0,
                        Blocks::even(Slice(Space::output, 0, whole), blocks), &comm.memo());
    executor.run(schedule, memory, comm.own(), Discipline::paced);
    meet(comm.own());
    one += PMPI_Wtime();
  }
  std::ranges::sort(seconds);
  const Pipeline pipeline(comm.size(), blocks);
  return seconds[1] / static_cast<double>((pipeline.end() - pipeline.begin()) * message);
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
  const auto startup_now = [&] { return one_way(8, 20, other, first, own); };
  NetworkSpeed speed;
  double startup = 0;
  if (measures) {
    constexpr int long_message = 1 << 16;
    startup = startup_now();
    const double whole = one_way(long_message, 5, other, first, own);
    const double least_byte = 1e-12;
    speed.beta = power_below(std::max(least_byte, (whole - startup) / long_message));
    speed.gap = power_below(gap(startup, other, first, own));
  }
  meet(own);
  const double round = round_of_all(own);
  const double paced_round = paced_round_of_all(own);
  // Once more, later: the number of blocks hangs on it, and the machine may have been busy.
  if (measures) startup = std::min(startup, startup_now());
  if (first) {
    speed.alpha = power_below(startup);
    speed.paced = NetworkSpeed::coded(paced_round / round);
    speed.crowd = NetworkSpeed::coded(std::max(1.0, round / startup));
  }
  const auto tell = [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Ibcast(&speed, sizeof speed, MPI_BYTE, 0, own, &request);
    wait_for(request);
  };
  tell();
  speed.pipelines = NetworkSpeed::of_any;
  // Else short messages are not worth their start-ups in any case.
  if (2 * speed.startup_seconds() <= short_message * speed.byte_seconds()) {
    constexpr double clearly = 1.06;
    const double of_short = seconds_a_byte(short_message, comm);
    const double of_long = seconds_a_byte(4 * short_message, comm);
    if (of_long > clearly * of_short) speed.pipelines = NetworkSpeed::of_short;
    tell();
  }
  return speed;
}

}  // namespace roundelay
