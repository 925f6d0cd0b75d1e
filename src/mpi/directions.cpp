// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "mpi/between.hpp"

namespace roundelay::mpi {

namespace {

// The group of all ranks as a direction wants it: the senders first.
Subgroup with_senders_first(Communicator& comm, bool low_sends) {
  const int low_size = comm.is_low() ? comm.local_size() : comm.remote_size();
  return Group(comm.rank(), comm.size()).rooted(low_sends ? 0 : low_size);
}

}  // namespace

Subgroup local_group(Communicator& comm) {
  const int first = comm.is_low() ? 0 : comm.remote_size();
  return Group(comm.rank(), comm.size()).strided(first, 1, comm.local_size());
}

int sending_root(Communicator& comm, int root) {
  return root == MPI_ROOT ? local_group(comm).rank : root;
}

int receiving_root(Communicator& comm, int root) {
  return root == MPI_ROOT ? comm.remote_size() + local_group(comm).rank : comm.local_size() + root;
}

int OneWay::start() const {
  call.problem.group = with_senders_first(comm, comm.is_low() == sends);
  call.problem.senders = sends ? comm.local_size() : comm.remote_size();
  ScheduledPart part = call.prepared(m, 0);
  return call.start({&part, 1});
}

int BothWays::start() const {
  const Subgroup low_first = with_senders_first(comm, true);
  const Subgroup high_first = with_senders_first(comm, false);
  const bool low = comm.is_low();
  to.problem.group = low ? low_first : high_first;
  to.problem.senders = comm.local_size();
  from.problem.group = low ? high_first : low_first;
  from.problem.senders = comm.remote_size();
  const std::size_t first = low ? 0 : 1;
  ScheduledPart sending = to.prepared(m_to, first);
  ScheduledPart receiving = from.prepared(m_from, 1 - first);
  std::array parts{std::move(low ? sending : receiving), std::move(low ? receiving : sending)};
  return to.start(parts);
}

}  // namespace roundelay::mpi
