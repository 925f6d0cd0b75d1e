// SPDX-License-Identifier: Apache-2.0
#include "mpi/network.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "mpi/waiting.hpp"

namespace roundelay {

namespace {

constexpr int tag = 2;
constexpr int short_message = 8;

void wait_for(MPI_Request request) {
  std::array<MPI_Request, 1> requests{request};
  wait_all(requests);
}

// The least of several, for only that says something of the network.
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

void exchange(std::vector<std::byte>& message, int bytes, int peer, bool first, MPI_Comm own) {
  for (const bool sends : {first, !first}) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (sends) {
      PMPI_Isend(message.data(), bytes, MPI_BYTE, peer, tag, own, &request);
    } else {
      PMPI_Irecv(message.data(), bytes, MPI_BYTE, peer, tag, own, &request);
    }
    wait_for(request);
  }
}

// Seconds of one way.
double one_way(int bytes, int times, int peer, bool first, MPI_Comm own) {
  std::vector<std::byte> message(static_cast<std::size_t>(bytes));
  return least_of(times, [&] { exchange(message, bytes, peer, first, own); }) / 2;
}

// Seconds of some rounds in which both send and receive, by PMPI_Isend or PMPI_Issend.
double rounds(decltype(&PMPI_Isend) begin_send, int peer, MPI_Comm own) {
  constexpr int in_turn = 4;
  std::array<std::byte, short_message> sent{};
  std::array<std::byte, short_message> received{};
  return least_of(5, [&] {
    for (int i = 0; i < in_turn; ++i) {
      std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      PMPI_Irecv(received.data(), short_message, MPI_BYTE, peer, tag, own, &requests[0]);
      begin_send(sent.data(), short_message, MPI_BYTE, peer, tag, own, &requests[1]);
      wait_all(requests);
    }
  });
}

// Seconds between one and the next of messages that are under way together.
double gap(double startup, int peer, bool first, MPI_Comm own) {
  constexpr int together = 16;
  std::array<std::byte, short_message> message{};
  std::array<std::array<std::byte, short_message>, together> received{};
  const double whole = least_of(5, [&] {
    std::array<MPI_Request, together> requests{};
    for (std::size_t i = 0; i < together; ++i) {
      if (first) {
        PMPI_Isend(message.data(), short_message, MPI_BYTE, peer, tag, own, &requests[i]);
      } else {
        PMPI_Irecv(received[i].data(), short_message, MPI_BYTE, peer, tag, own, &requests[i]);
      }
    }
    wait_all(requests);
    MPI_Request answer = MPI_REQUEST_NULL;
    if (first) {
      PMPI_Irecv(message.data(), short_message, MPI_BYTE, peer, tag, own, &answer);
    } else {
      PMPI_Isend(message.data(), short_message, MPI_BYTE, peer, tag, own, &answer);
    }
    wait_for(answer);
  });
  return std::clamp((whole - 2 * startup) / (together - 1), startup / 1024, startup);
}

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
  NetworkSpeed speed;
  if (comm.rank() == 0 || comm.rank() == peer) {
    constexpr int long_message = 1 << 16;
    const bool first = comm.rank() == 0;
    const int other = first ? peer : 0;
    const double startup = one_way(short_message, 20, other, first, comm.own());
    const double whole = one_way(long_message, 5, other, first, comm.own());
    const double least_byte = 1e-12;
    speed.alpha = power_below(startup);
    speed.beta = power_below(std::max(least_byte, (whole - startup) / long_message));
    speed.gap = power_below(gap(startup, other, first, comm.own()));
    const double plain = rounds(&PMPI_Isend, other, comm.own());
    const double synchronous = rounds(&PMPI_Issend, other, comm.own());
    speed.paced = static_cast<std::uint64_t>(
        std::clamp(NetworkSpeed::even_paced + std::round(4 * std::log2(synchronous / plain)), 1.0,
                   2.0 * NetworkSpeed::even_paced));
  }
  std::array<std::uint64_t, 4> found{speed.alpha, speed.beta, speed.gap, speed.paced};
  // The others wait as suits the machine: where they share its cores they would be what is
  // measured.
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibcast(found.data(), 4, MPI_UINT64_T, 0, comm.own(), &request);
  wait_for(request);
  return {found[0], found[1], found[2], found[3]};
}

}  // namespace roundelay
