// SPDX-License-Identifier: Apache-2.0
#include "simulate/between.hpp"

#include <stdexcept>

#include "mpi/call.hpp"
#include "preload/communicator_state.hpp"
#include "preload/configuration.hpp"

namespace roundelay::simulate {

namespace {

// What an allgather within the group would decide: it knows of the network.
const preload::Decision& neighbour(std::int64_t bytes) {
  return preload::CommunicatorState::of(MPI_COMM_WORLD)->decide(Collective::allgather, bytes);
}

}  // namespace

void allgather_between(const Message& m) {
  const auto choice =
      preload::Configuration::instance().settings().wishes.forced.between(Collective::allgather);
  if (choice == nullptr) throw std::invalid_argument("no allgather between groups is forced");
  mpi::Communicator& comm = preload::CommunicatorState::of(MPI_COMM_WORLD)->comm;
  comm.make_own();
  const int p = m.ranks();
  const Units block = m.block * static_cast<Units>(sizeof(unsigned));
  mpi::Plan plan(choice, neighbour(block * p).plan.network());
  mpi::ExecutorOfThread executor;
  mpi::Call call(*executor, plan, comm);
  call.set(Space::input, m.in);
  call.set(Space::output, m.out);
  call.problem.senders = p;
  call.problem.input = Slice(Space::input, 0, block);
  call.problem.blocks = Blocks::even(Slice(Space::output, 0, block * p), p);
  mpi::ScheduledPart part = call.prepared(block * p, 0);
  executor->finish_after(call.start({&part, 1}));
}

}  // namespace roundelay::simulate
