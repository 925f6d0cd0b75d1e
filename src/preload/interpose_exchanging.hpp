// SPDX-License-Identifier: Apache-2.0
// The calls in which every rank has a block for every other, with counts of any size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "preload/interpose.hpp"

namespace roundelay::preload {

template <typename Native>
int alltoall(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type, void* received,
             std::int64_t received_count, MPI_Datatype received_type, MPI_Comm comm,
             const Native& call) {
  return receive_from_all(Collective::alltoall, sent, sent_count, sent_type, received,
                          received_count, received_type, comm, call, mpi::begin_alltoall,
                          mpi::run_alltoall, [&] { return call.pass_on(); });
}

// One side of an alltoallv or a neighbor_alltoallv: displacements in elements, one type.
template <typename Count, typename Displacement>
struct Elements {
  const void* address;
  const Count* counts;
  const Displacement* displacements;
  MPI_Datatype type;

  [[nodiscard]] bool legal() const {
    return counts != nullptr && displacements != nullptr && address != MPI_IN_PLACE &&
           type != MPI_DATATYPE_NULL && is_committed(type);
  }
  [[nodiscard]] bool legal(int i) const {
    return counts[i] >= 0 && (is_plain(address) || has_memory_for_block(block(i)));
  }
  [[nodiscard]] Counted bytes(int ranks) const {
    const Counted elements = counted(Listed<Count>{counts}, ranks);
    const std::int64_t size = describe(type).size;
    return {elements.sum * size, elements.longest * size};
  }
  [[nodiscard]] Buffers blocks(int ranks) const {
    return listed_buffers(address, counts, displacements, type, ranks);
  }
  [[nodiscard]] Buffer block(int i) const {
    const Buffer first = buffer(address, counts[i], type);
    return {static_cast<std::byte*>(first.address) + displacements[i] * first.type->extent,
            first.count, first.type};
  }
};

// One side of an alltoallw or a neighbor_alltoallw: displacements in bytes, a type for each block.
// That of a block of nothing does not count: MPI libraries do not look at it, and if a rank that
// has some passed its call on, all would wait for ever.
template <typename Count, typename Displacement>
struct Bytes {
  const void* address;
  const Count* counts;
  const Displacement* displacements;
  const MPI_Datatype* types;

  [[nodiscard]] bool legal() const {
    return counts != nullptr && displacements != nullptr && types != nullptr &&
           address != MPI_IN_PLACE;
  }
  [[nodiscard]] bool legal(int i) const {
    if (counts[i] == 0) return true;
    return is_buffer(counts[i], types[i]) && is_committed(types[i]) &&
           has_memory_for_block(block(i));
  }
  [[nodiscard]] Counted bytes(int ranks) const {
    return counted([&](int i) { return block(i).bytes(); }, ranks);
  }
  [[nodiscard]] Buffers blocks(int ranks) const {
    Buffers all;
    all.reserve(static_cast<std::size_t>(ranks));
    for (int i = 0; i < ranks; ++i) all.push_back(block(i));
    return all;
  }
  [[nodiscard]] Buffer block(int i) const {
    const Buffer first = buffer(address, counts[i], counts[i] > 0 ? types[i] : MPI_BYTE);
    return {static_cast<std::byte*>(first.address) + displacements[i], first.count, first.type};
  }
};

// All blocks of a side, one for each rank.
template <typename Side>
bool all_legal(const Side& side, int ranks) {
  if (!side.legal()) return false;
  for (int i = 0; i < ranks; ++i) {
    if (!side.legal(i)) return false;
  }
  return true;
}

// alltoallv and alltoallw. In place the sent side does not count.
template <typename Side, typename Native>
int alltoallv(Collective collective, const Side& sent, const Side& received, MPI_Comm comm,
              const Native& call) {
  CommunicatorState* state = call.state_by_part(comm);
  if (state == nullptr) return call.pass_on();
  const int ranks = state->comm.size();
  const bool in_place = sent.address == MPI_IN_PLACE;
  const bool legal =
      call.legal() && all_legal(received, ranks) && (in_place || all_legal(sent, ranks));
  const Counted bytes = legal ? received.bytes(ranks) : Counted();
  // A rank whose call is not legal is one of those that agree on a length all the same.
  Decision& decision = call.decide_by_part(*state, collective, bytes.sum, bytes.longest);
  if (!legal) return call.pass_on();
  const auto by = [&](const auto& function) {
    return [&](Plan& plan, auto& copies) {
      return function(plan, state->comm, in_place ? Buffers() : copies.read(sent.blocks(ranks)),
                      copies.written(received.blocks(ranks), in_place));
    };
  };
  return carry_out(*state, decision, bytes.sum, call, by(mpi::begin_alltoallv),
                   by(mpi::run_alltoallv));
}

}  // namespace roundelay::preload
