// SPDX-License-Identifier: Apache-2.0
// The program that `roundelay doctor --topology` starts on all ranks. Rank 0 prints a line of JSON
// for each rank: its host, and the seconds that a message is under way to each rank after it.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "mpi/host.hpp"
#include "mpi/ping.hpp"
#include "mpi/waiting.hpp"
#include "schedule/tournament.hpp"

namespace roundelay::latencies {
namespace {

constexpr int bytes = 8;
constexpr int times = 10;

struct Row {
  std::array<char, 256> host{};
  std::vector<double> seconds;
};

// In pairs that do not disturb each other.
Row measured(int rank, int ranks) {
  Row row{.seconds = std::vector<double>(static_cast<std::size_t>(ranks))};
  const std::string host = mpi::host_name();
  std::copy_n(host.begin(), std::min(host.size(), row.host.size() - 1), row.host.begin());
  for (int round = 0; round < tournament_rounds(ranks); ++round) {
    const int other = tournament_opponent(rank, round, ranks);
    if (other == rank) continue;
    row.seconds[static_cast<std::size_t>(other)] =
        mpi::one_way(bytes, times, other, rank < other, MPI_COMM_WORLD);
  }
  return row;
}

void print(int rank, const Row& row) {
  std::printf(R"({"rank": %d, "host": "%s", "seconds": [)", rank, row.host.data());
  const char* separator = "";
  for (auto other = static_cast<std::size_t>(rank) + 1; other < row.seconds.size(); ++other) {
    std::printf("%s%.3g", separator, row.seconds[other]);
    separator = ", ";
  }
  std::printf("]}\n");
}

void run() {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  mpi::set_waiting(mpi::suitable(mpi::occupancy()));
  Row row = measured(rank, ranks);
  // Who is done must not take a core from who is not.
  MPI_Request all_done = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &all_done);
  mpi::wait_for(all_done);
  const auto length = static_cast<int>(row.host.size());
  if (rank != 0) {
    PMPI_Send(row.host.data(), length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    PMPI_Send(row.seconds.data(), ranks, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    return;
  }
  print(0, row);
  for (int other = 1; other < ranks; ++other) {
    PMPI_Recv(row.host.data(), length, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    PMPI_Recv(row.seconds.data(), ranks, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    print(other, row);
  }
}

}  // namespace
}  // namespace roundelay::latencies

int main(int argc, char** argv) {
  PMPI_Init(&argc, &argv);
  roundelay::latencies::run();
  PMPI_Finalize();
  return 0;
}
