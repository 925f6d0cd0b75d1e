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

// Number `index` of the sum.
unsigned sum(const Message& m, int index) {
  unsigned sum = 0;
  for (int rank = 0; rank < m.ranks(); ++rank) sum += Message::number(rank, index);
  return sum;
}
// Number `index` of the blocks of all senders.
unsigned of_its_sender(const Message& m, int index) {
  const auto after = std::ranges::upper_bound(m.offsets, index);
  const auto sender = static_cast<int>(after - m.offsets.begin()) - 1;
  return Message::number(sender, index - m.offsets[static_cast<std::size_t>(sender)]);
}

const std::array calls{
    SimulatedCall{Collective::allgather, Groups::one,
                  [](const Message& m) {
                    MPI_Allgather(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED,
                                  MPI_COMM_WORLD);
                  }},
    SimulatedCall{Collective::allgather, Groups::two, allgather_between},
    SimulatedCall{Collective::allgatherv, Groups::one,
                  [](const Message& m) {
                    MPI_Allgatherv(m.in, m.own_count(), MPI_UNSIGNED, m.out, m.counts.data(),
                                   m.offsets.data(), MPI_UNSIGNED, MPI_COMM_WORLD);
                  }},
    SimulatedCall{Collective::allreduce, Groups::one,
                  [](const Message& m) {
                    MPI_Allreduce(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
                  }},
    SimulatedCall{Collective::alltoall, Groups::one,
                  [](const Message& m) {
                    MPI_Alltoall(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED,
                                 MPI_COMM_WORLD);
                  }},
    SimulatedCall{Collective::bcast, Groups::one,
                  [](const Message& m) {
                    MPI_Bcast(m.rank() == 0 ? m.in : m.out, m.count, MPI_UNSIGNED, 0,
                              MPI_COMM_WORLD);
                  }},
    SimulatedCall{Collective::gather, Groups::one,
                  [](const Message& m) {
                    MPI_Gather(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, 0,
                               MPI_COMM_WORLD);
                  }},
    SimulatedCall{Collective::reduce, Groups::one,
                  [](const Message& m) {
                    MPI_Reduce(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
                  }},
    SimulatedCall{Collective::reduce_scatter, Groups::one,
                  [](const Message& m) {
                    MPI_Reduce_scatter(m.in, m.out, m.counts.data(), MPI_UNSIGNED, MPI_SUM,
                                       MPI_COMM_WORLD);
                  }},
    SimulatedCall{Collective::scatter, Groups::one,
                  [](const Message& m) {
                    MPI_Scatter(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, 0,
                                MPI_COMM_WORLD);
                  }},
};

}  // namespace

const SimulatedCall& simulated_call(std::string_view name) {
  const auto* const found = std::ranges::find_if(calls, [name](const SimulatedCall& call) {
    return call.groups == Groups::one ? name == name_of(call.collective)
                                      : name == std::string(name_of(call.collective)) + "_between";
  });
  if (found != calls.end()) return *found;
  throw std::invalid_argument("cannot simulate '" + std::string(name) + "'");
}

namespace {

// How many numbers this rank receives.
int received(const SimulatedCall& call, const Message& message) {
  const CollectiveFacts& facts = facts_of(call.collective);
  if (call.groups == Groups::two) return message.rank() < message.ranks() ? 0 : message.count;
  if (facts.cut == Cut::by_receiver) return message.own_count();
  const bool is_root = message.rank() == 0;
  return !facts.rooted || is_root == facts.receives_at_root ? message.count : 0;
}

// Which number `index` of them has to be.
unsigned expected(const SimulatedCall& call, const Message& message, int index) {
  const CollectiveFacts& facts = facts_of(call.collective);
  const int place = facts.cut == Cut::by_receiver ? message.own_offset() + index : index;
  if (facts.reduces) return sum(message, place);
  if (facts.cut == Cut::by_sender) return of_its_sender(message, place);
  if (facts.cut == Cut::by_pair) {
    return Message::number(place / message.block, message.own_offset() + place % message.block);
  }
  return Message::number(0, place);  // of the root
}

}  // namespace

bool is_right(const SimulatedCall& call, const Message& message) {
  for (int i = 0; i < received(call, message); ++i) {
    if (message.out[i] != expected(call, message, i)) return false;
  }
  return true;
}

}  // namespace roundelay::simulate
