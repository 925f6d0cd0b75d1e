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

int run_one_way(Call& call, Communicator& comm, bool sends, std::int64_t m, std::int64_t longest) {
  const Subgroup group = with_senders_first(comm, comm.is_low() == sends);
  call.problem.group = group;
  call.problem.senders = sends ? comm.local_size() : comm.remote_size();
  return call.run_one_way(call.problem.senders, group.size - call.problem.senders, m, longest);
}

int BothWays::run(std::int64_t m_to, std::int64_t longest_to, std::int64_t m_from,
                  std::int64_t longest_from) {
  const Subgroup low_first = with_senders_first(comm, true);
  const Subgroup high_first = with_senders_first(comm, false);
  const bool low = comm.is_low();
  const int local = comm.local_size();
  const int remote = comm.remote_size();
  to.problem.group = low ? low_first : high_first;
  to.problem.senders = local;
  from.problem.group = low ? high_first : low_first;
  from.problem.senders = remote;
  const std::size_t first = low ? 0 : 1;
  Schedule sending = to.prepared(local, remote, m_to, longest_to, first);
  Schedule receiving = from.prepared(remote, local, m_from, longest_from, 1 - first);
  std::array<Schedule, 2> schedules{std::move(low ? sending : receiving),
                                    std::move(low ? receiving : sending)};
  return to.run_both(schedules, {low ? &to.memory : &from.memory, low ? &from.memory : &to.memory});
}

}  // namespace roundelay::mpi
