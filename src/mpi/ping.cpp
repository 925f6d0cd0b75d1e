// SPDX-License-Identifier: Apache-2.0
#include "mpi/ping.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "mpi/messages.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

constexpr int tag = 2;
constexpr int short_message = 8;
using Short = std::array<std::byte, short_message>;

// The two messages of an exchange.
struct Both {
  Elements sent;
  Elements received;
};

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

Elements short_of(Short& memory) { return {memory.data(), short_message, MPI_BYTE}; }

void pass(const Elements& message, const Peer& peer, bool sends) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (sends) {
    begin_send(message, peer, SendMode::standard, request);
  } else {
    begin_receive(message, peer, request);
  }
  wait_for(request);
}

void exchange(const Both& messages, SendMode mode, const Peer& to, const Peer& from) {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  begin_receive(messages.received, from, requests[0]);
  begin_send(messages.sent, to, mode, requests[1]);
  wait_all(requests);
}

double round_by(SendMode mode, const Group& g, MPI_Comm comm) {
  // Many in turn: a rank that is late finds its messages there, and would see hardly any time.
  constexpr int in_turn = 16;
  Short sent{};
  Short received{};
  const Both messages{short_of(sent), short_of(received)};
  int rounds = 0;
  const double whole = least_of(2, [&] {
    rounds = 0;
    for (int i = 0; i < in_turn; ++i) {
      for (int distance = 1; distance < g.size; distance *= 2, ++rounds) {
        exchange(messages, mode, {g[g.rank + distance], tag, comm},
                 {g[g.rank - distance], tag, comm});
      }
    }
  });
  return whole / rounds;
}

}  // namespace

double one_way(int bytes, int times, int peer, bool first, MPI_Comm comm) {
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
  const Elements message{memory.data(), bytes, MPI_BYTE};
  return least_of(times,
                  [&] {
                    for (const bool sends : {first, !first}) {
                      pass(message, {peer, tag, comm}, sends);
                    }
                  }) /
         2;
}

double combined_byte() {
  constexpr int count = 4096;
  const std::vector<double> one(count, 1);
  std::vector<double> other(count, 1);
  return least_of(
             5, [&] { PMPI_Reduce_local(one.data(), other.data(), count, MPI_DOUBLE, MPI_SUM); }) /
         static_cast<double>(count * sizeof(double));
}

double gap(double startup, int peer, bool first, MPI_Comm comm) {
  constexpr int together = 16;
  Short sent{};
  const Peer other{peer, tag, comm};
  std::array<Short, together> received{};
  const double whole = least_of(5, [&] {
    std::array<MPI_Request, together> requests{};
    for (std::size_t i = 0; i < together; ++i) {
      if (first) {
        begin_send(short_of(sent), other, SendMode::standard, requests[i]);
      } else {
        begin_receive(short_of(received[i]), other, requests[i]);
      }
    }
    wait_all(requests);
    pass(short_of(sent), other, !first);
  });
  return std::clamp((whole - 2 * startup) / (together - 1), startup / 1024, startup);
}

double shift_of_all(int bytes, int distance, const Group& g, MPI_Comm comm) {
  constexpr int in_turn = 2;
  std::vector<std::byte> sent(static_cast<std::size_t>(bytes));
  std::vector<std::byte> received(sent.size());
  const Both messages{{sent.data(), bytes, MPI_BYTE}, {received.data(), bytes, MPI_BYTE}};
  return least_of(2,
                  [&] {
                    for (int i = 0; i < in_turn; ++i) {
                      exchange(messages, SendMode::standard, {g[g.rank + distance], tag, comm},
                               {g[g.rank - distance], tag, comm});
                    }
                  }) /
         in_turn;
}

double round_of_all(const Group& g, MPI_Comm comm) { return round_by(SendMode::standard, g, comm); }
double paced_round_of_all(const Group& g, MPI_Comm comm) {
  return round_by(SendMode::synchronous, g, comm);
}

}  // namespace roundelay::mpi
