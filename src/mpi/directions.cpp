// SPDX-License-Identifier: Apache-2.0
#include "mpi/directions.hpp"

#include <array>

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

OneWay::OneWay(Call& call, Communicator& comm, bool sends, std::int64_t m)
    : call_(call), group_(with_senders_first(comm, comm.is_low() == sends)), m_(m) {
  call.problem.senders = sends ? comm.local_size() : comm.remote_size();
}

ScheduledPart OneWay::prepared(std::size_t direction) const {
  call_.problem.group = group_;  // it refers to this
  return call_.prepared(m_, direction);
}

int OneWay::start() const {
  ScheduledPart part = prepared(0);
  return call_.start({&part, 1});
}

BothWays::BothWays(Call& to, Call& from, Communicator& comm, std::int64_t m_to, std::int64_t m_from)
    : call_(to),
      to_(to, comm, true, m_to),
      from_(from, comm, false, m_from),
      is_low_(comm.is_low()) {}

int BothWays::start() const {
  const OneWay& from_low = is_low_ ? to_ : from_;
  const OneWay& from_high = is_low_ ? from_ : to_;
  std::array parts{from_low.prepared(0), from_high.prepared(1)};
  return call_.start(parts);
}

}  // namespace roundelay::mpi
