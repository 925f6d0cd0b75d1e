// SPDX-License-Identifier: Apache-2.0
#include "mpi/ping.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

constexpr int tag = 2;
constexpr int short_message = 8;
using Short = std::array<std::byte, short_message>;

template <typename Timed>
double least_of(int times, const Timed& timed) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const double start = PMPI_Wtime();
    timed();
    least = std::min(least, PMPI_Wtime() - start);
  }
  return least;
}

void pass(void* message, int bytes, int peer, bool sends, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (sends) {
    PMPI_Isend(message, bytes, MPI_BYTE, peer, tag, comm, &request);
  } else {
    PMPI_Irecv(message, bytes, MPI_BYTE, peer, tag, comm, &request);
  }
  wait_for(request);
}

// One round of PMPI_Isend or PMPI_Issend.
void exchange(decltype(&PMPI_Isend) begin_send, int to, int from, MPI_Comm comm) {
  Short sent{};
  Short received{};
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  PMPI_Irecv(received.data(), short_message, MPI_BYTE, from, tag, comm, &requests[0]);
  begin_send(sent.data(), short_message, MPI_BYTE, to, tag, comm, &requests[1]);
  wait_all(requests);
}

double round_by(decltype(&PMPI_Isend) begin_send, const Group& g, MPI_Comm comm) {
  // Many in turn: a rank that is late finds its messages there, and would see hardly any time.
  constexpr int in_turn = 16;
  int rounds = 0;
  const double whole = least_of(2, [&] {
    rounds = 0;
    for (int i = 0; i < in_turn; ++i) {
      for (int distance = 1; distance < g.size; distance *= 2, ++rounds) {
        exchange(begin_send, g[g.rank + distance], g[g.rank - distance], comm);
      }
    }
  });
  return whole / rounds;
}

}  // namespace

double one_way(int bytes, int times, int peer, bool first, MPI_Comm comm) {
  std::vector<std::byte> message(static_cast<std::size_t>(bytes));
  return least_of(times,
                  [&] {
                    for (const bool sends : {first, !first}) {
                      pass(message.data(), bytes, peer, sends, comm);
                    }
                  }) /
         2;
}

double gap(double startup, int peer, bool first, MPI_Comm comm) {
  constexpr int together = 16;
  Short message{};
  std::array<Short, together> received{};
  const double whole = least_of(5, [&] {
    std::array<MPI_Request, together> requests{};
    for (std::size_t i = 0; i < together; ++i) {
      if (first) {
        PMPI_Isend(message.data(), short_message, MPI_BYTE, peer, tag, comm, &requests[i]);
      } else {
        PMPI_Irecv(received[i].data(), short_message, MPI_BYTE, peer, tag, comm, &requests[i]);
      }
    }
    wait_all(requests);
    pass(message.data(), short_message, peer, !first, comm);
  });
  return std::clamp((whole - 2 * startup) / (together - 1), startup / 1024, startup);
}

double round_of_all(const Group& g, MPI_Comm comm) { return round_by(&PMPI_Isend, g, comm); }
double paced_round_of_all(const Group& g, MPI_Comm comm) { return round_by(&PMPI_Issend, g, comm); }

}  // namespace roundelay::mpi
