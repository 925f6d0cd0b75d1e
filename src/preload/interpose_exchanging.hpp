// SPDX-License-Identifier: Apache-2.0
// The calls in which every rank has a block for every other, with counts of any size.
#pragma once

#include <span>
#include <vector>

#include "preload/interpose.hpp"

namespace roundelay::preload {

template <typename Native>
int alltoall(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type, void* received,
             std::int64_t received_count, MPI_Datatype received_type, MPI_Comm comm,
             const Native& go_on) {
  return receive_from_all(Collective::alltoall, sent, sent_count, sent_type, received,
                          received_count, received_type, comm, go_on, mpi::run_alltoall, go_on);
}

// One side of an alltoallv: displacements in elements, one type.
template <typename Count, typename Displacement>
struct Elements {
  const void* address;
  const Count* counts;
  const Displacement* displacements;
  MPI_Datatype type;

  [[nodiscard]] bool legal(int ranks) const {
    if (counts == nullptr || displacements == nullptr || type == MPI_DATATYPE_NULL) return false;
    for (int i = 0; i < ranks; ++i) {
      if (counts[i] < 0) return false;
    }
    return true;
  }
  [[nodiscard]] Buffer block(int i) const {
    const Buffer first = buffer(address, counts[i], type);
    return {static_cast<std::byte*>(first.address) + displacements[i] * first.type->extent,
            first.count, first.type};
  }
};

// One side of an alltoallw: displacements in bytes, a type for each rank. MPICH takes blocks of
// nothing without one, and if a rank that has some passed its call on, all would wait for ever.
template <typename Count, typename Displacement>
struct Bytes {
  const void* address;
  const Count* counts;
  const Displacement* displacements;
  const MPI_Datatype* types;

  [[nodiscard]] bool legal(int ranks) const {
    if (counts == nullptr || displacements == nullptr || types == nullptr) return false;
    for (int i = 0; i < ranks; ++i) {
      if (counts[i] != 0 && !is_buffer(counts[i], types[i])) return false;
    }
    return true;
  }
  [[nodiscard]] Buffer block(int i) const {
    const bool typed = types[i] != MPI_DATATYPE_NULL;
    const Buffer first = buffer(address, counts[i], typed ? types[i] : MPI_BYTE);
    return {static_cast<std::byte*>(first.address) + displacements[i], first.count, first.type};
  }
};

// alltoallv and alltoallw. In place the sent side does not count.
template <typename Side, typename Native>
int alltoallv(Collective collective, const Side& sent, const Side& received, MPI_Comm comm,
              const Native& go_on) {
  Station* station = Station::of(comm);
  if (station == nullptr) return go_on();
  const int ranks = station->comm.size();
  const bool in_place = sent.address == MPI_IN_PLACE;
  if (!received.legal(ranks) || (!in_place && !sent.legal(ranks))) return go_on();
  const auto bytes_of = [&](const Side& side) {
    std::int64_t bytes = 0;
    for (int i = 0; i < ranks; ++i) bytes += side.block(i).bytes();
    return bytes;
  };
  Decision& decision = station->decide_by_parts(
      collective, [&] { return bytes_of(received); },
      [&] { return bytes_of(in_place ? received : sent); });
  const std::int64_t bytes = decision.plan.way == Plan::Way::native ? 0 : bytes_of(received);
  return carry_out(*station, decision, bytes, go_on, [&](Plan& plan) {
    static thread_local std::vector<Buffer> from;
    static thread_local std::vector<Buffer> to;
    from.clear();
    to.clear();
    for (int i = 0; i < ranks; ++i) {
      if (!in_place) from.push_back(sent.block(i));
      to.push_back(received.block(i));
    }
    return run_alltoallv(plan, station->comm, from, to);
  });
}

}  // namespace roundelay::preload
