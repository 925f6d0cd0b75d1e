// SPDX-License-Identifier: Apache-2.0
#include "simulate/calls.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "simulate/between.hpp"

namespace roundelay::simulate {

namespace {

int all(const Message& m) { return m.count; }
int own_block(const Message& m) { return m.own_count(); }
int all_at_root(const Message& m) { return m.rank() == 0 ? m.count : 0; }
int all_beyond_senders(const Message& m) { return m.rank() < m.ranks() ? 0 : m.count; }
int all_elsewhere(const Message& m) { return m.rank() == 0 ? 0 : m.count; }

unsigned sum(const Message& m, int index) {
  unsigned sum = 0;
  for (int rank = 0; rank < m.ranks(); ++rank) sum += Message::number(rank, index);
  return sum;
}
unsigned own_sum(const Message& m, int index) { return sum(m, m.own_offset() + index); }
unsigned of_root(const Message& /*m*/, int index) { return Message::number(0, index); }
unsigned own_of_root(const Message& m, int index) {
  return Message::number(0, m.own_offset() + index);
}
unsigned of_its_owner(const Message& m, int index) {
  const auto after = std::ranges::upper_bound(m.offsets, index);
  const auto owner = static_cast<int>(after - m.offsets.begin()) - 1;
  return Message::number(owner, index - m.offsets[static_cast<std::size_t>(owner)]);
}
unsigned own_of_its_owner(const Message& m, int index) {
  return Message::number(index / m.block, m.own_offset() + index % m.block);
}

const std::array calls{
    SimulatedCall{"allgather",
                  [](const Message& m) {
                    MPI_Allgather(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED,
                                  MPI_COMM_WORLD);
                  },
                  all, of_its_owner, Parts::even},
    SimulatedCall{"allgather_between", allgather_between, all_beyond_senders, of_its_owner,
                  Parts::groups},
    SimulatedCall{"allgatherv",
                  [](const Message& m) {
                    MPI_Allgatherv(m.in, m.own_count(), MPI_UNSIGNED, m.out, m.counts.data(),
                                   m.offsets.data(), MPI_UNSIGNED, MPI_COMM_WORLD);
                  },
                  all, of_its_owner, Parts::any},
    SimulatedCall{"allreduce",
                  [](const Message& m) {
                    MPI_Allreduce(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
                  },
                  all, sum, Parts::even},
    SimulatedCall{"alltoall",
                  [](const Message& m) {
                    MPI_Alltoall(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED,
                                 MPI_COMM_WORLD);
                  },
                  all, own_of_its_owner, Parts::even},
    SimulatedCall{"bcast",
                  [](const Message& m) {
                    MPI_Bcast(m.rank() == 0 ? m.in : m.out, m.count, MPI_UNSIGNED, 0,
                              MPI_COMM_WORLD);
                  },
                  all_elsewhere, of_root, Parts::even},
    SimulatedCall{"gather",
                  [](const Message& m) {
                    MPI_Gather(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, 0,
                               MPI_COMM_WORLD);
                  },
                  all_at_root, of_its_owner, Parts::even},
    SimulatedCall{"reduce",
                  [](const Message& m) {
                    MPI_Reduce(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
                  },
                  all_at_root, sum, Parts::even},
    SimulatedCall{"reduce_scatter",
                  [](const Message& m) {
                    MPI_Reduce_scatter(m.in, m.out, m.counts.data(), MPI_UNSIGNED, MPI_SUM,
                                       MPI_COMM_WORLD);
                  },
                  own_block, own_sum, Parts::any},
    SimulatedCall{"scatter",
                  [](const Message& m) {
                    MPI_Scatter(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, 0,
                                MPI_COMM_WORLD);
                  },
                  own_block, own_of_root, Parts::even},
};

}  // namespace

const SimulatedCall& simulated_call(std::string_view name) {
  const auto* const found = std::ranges::find(calls, name, &SimulatedCall::name);
  if (found != calls.end()) return *found;
  throw std::invalid_argument("cannot simulate '" + std::string(name) + "'");
}

bool is_right(const SimulatedCall& call, const Message& message) {
  for (int i = 0; i < call.received(message); ++i) {
    if (message.out[i] != call.expected(message, i)) return false;
  }
  return true;
}

}  // namespace roundelay::simulate
