// SPDX-License-Identifier: Apache-2.0
// The calls that move data, with counts of any size.
#pragma once

#include <utility>
#include <vector>

#include "preload/interpose_between.hpp"

namespace roundelay::preload {

template <typename Native>
int allgather(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type, void* received,
              std::int64_t received_count, MPI_Datatype received_type, MPI_Comm comm,
              const Native& call) {
  return receive_from_all(Collective::allgather, sent, sent_count, sent_type, received,
                          received_count, received_type, comm, call, mpi::begin_allgather,
                          mpi::run_allgather, [&] {
                            return allgather_between(sent, sent_count, sent_type, received,
                                                     received_count, received_type, comm, call);
                          });
}

template <typename Count, typename Displacement, typename Native>
int allgatherv(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type, void* received,
               const Count* counts, const Displacement* displacements, MPI_Datatype received_type,
               MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.state(comm);
  if (state == nullptr) {
    return allgatherv_between(sent, sent_count, sent_type, received, counts, displacements,
                              received_type, comm, call);
  }
  if (displacements == nullptr || received_type == MPI_DATATYPE_NULL ||
      (sent != MPI_IN_PLACE && !is_buffer(sent_count, sent_type))) {
    return call.pass_on();
  }
  const Counted elements = counted(Listed<Count>{counts}, state->comm.size());
  if (elements.sum < 0) return call.pass_on();
  const Buffer from = sent_buffer(sent, sent_count, sent_type);
  if (!have_memory(received, counts, displacements, received_type, state->comm.size()) ||
      (!from.in_place() && !has_memory(from))) {
    return call.pass_on();
  }
  const std::int64_t bytes = elements.sum * describe(received_type).size;
  const Unevenness unevenness(elements.sum, elements.longest, state->comm.size());
  Decision& decision = state->decide(Collective::allgatherv, bytes, {}, unevenness);
  const auto by = [&](const auto& function) {
    return [&](Plan& plan, auto& copies) {
      return function(plan, state->comm, copies.read(from),
                      copies.written(listed_buffers(received, counts, displacements, received_type,
                                                    state->comm.size()),
                                     from.in_place()));
    };
  };
  return carry_out(*state, decision, bytes, call, by(mpi::begin_allgatherv),
                   by(mpi::run_allgatherv));
}

template <typename Native>
int barrier(MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.state(comm);
  if (state == nullptr) return barrier_between(comm, call);
  Decision& decision = state->decide(Collective::barrier, 0);
  return carry_out(
      *state, decision, 0, call,
      [&](Plan& plan, auto& /*copies*/) { return begin_barrier(plan, state->comm); },
      [&](Plan& plan, auto& /*copies*/) { return run_barrier(plan, state->comm); });
}

template <typename Native>
int bcast(void* address, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm,
          const Native& call) {
  CommunicatorState* state = call.state(comm);
  if (state == nullptr) return bcast_between(address, count, type, root, comm, call);
  if (!is_buffer(count, type) || !is_rank(*state, root)) return call.pass_on();
  const Buffer data = buffer(address, count, type);
  if (!has_memory(data)) return call.pass_on();
  Decision& decision = state->decide(Collective::bcast, data.bytes());
  const auto by = [&](const auto& function) {
    return [&](Plan& plan, auto& copies) {
      return function(plan, state->comm, copies.written(data, true), root);
    };
  };
  return carry_out(*state, decision, data.bytes(), call, by(mpi::begin_bcast), by(mpi::run_bcast));
}

// The root may leave its own block where it is; elsewhere only the sent block counts.
template <typename Native>
int gather(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type, void* received,
           std::int64_t received_count, MPI_Datatype received_type, int root, MPI_Comm comm,
           const Native& call) {
  CommunicatorState* state = call.state(comm);
  if (state == nullptr) {
    return gather_between(sent, sent_count, sent_type, received, received_count, received_type,
                          root, comm, call);
  }
  if (!is_rank(*state, root)) return call.pass_on();
  const bool is_root = state->comm.rank() == root;
  const bool in_place = is_root && sent == MPI_IN_PLACE;
  if ((!in_place && !is_buffer(sent_count, sent_type)) ||
      (is_root && !is_buffer(received_count, received_type))) {
    return call.pass_on();
  }
  const Buffer from = in_place ? Buffer{MPI_IN_PLACE} : buffer(sent, sent_count, sent_type);
  const Buffer to = is_root ? buffer(received, received_count, received_type) : Buffer{};
  if ((!in_place && !has_memory(from)) || (is_root && !has_memory(to))) return call.pass_on();
  const std::int64_t bytes = (is_root ? to.bytes() : from.bytes()) * state->comm.size();
  Decision& decision = state->decide(Collective::gather, bytes);
  const auto by = [&](const auto& function) {
    return [&](Plan& plan, auto& copies) {
      return function(plan, state->comm, copies.read(from),
                      copies.written(to, in_place, state->comm.size()), root);
    };
  };
  return carry_out(*state, decision, bytes, call, by(mpi::begin_gather), by(mpi::run_gather));
}

template <typename Count, typename Displacement, typename Native>
int gatherv(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type, void* received,
            const Count* counts, const Displacement* displacements, MPI_Datatype received_type,
            int root, MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.state(comm);
  if (state == nullptr) {
    return any_blocks_between(Collective::gatherv, false, received, counts, displacements,
                              received_type, sent, sent_count, sent_type, root, comm, call);
  }
  if (!is_rank(*state, root)) return call.pass_on();
  const bool is_root = state->comm.rank() == root;
  const bool in_place = is_root && sent == MPI_IN_PLACE;
  if ((!in_place && !is_buffer(sent_count, sent_type)) ||
      (is_root && (displacements == nullptr || received_type == MPI_DATATYPE_NULL ||
                   counted(Listed<Count>{counts}, state->comm.size()).sum < 0))) {
    return call.pass_on();
  }
  const Buffer from = in_place ? Buffer{MPI_IN_PLACE} : buffer(sent, sent_count, sent_type);
  if ((!in_place && !has_memory(from)) ||
      (is_root &&
       !have_memory(received, counts, displacements, received_type, state->comm.size()))) {
    return call.pass_on();
  }
  Decision& decision = state->decide(Collective::gatherv);
  const auto by = [&](const auto& function) {
    return [&](Plan& plan, auto& copies) {
      Buffers to;
      if (is_root) {
        to = listed_buffers(received, counts, displacements, received_type, state->comm.size());
      }
      return function(plan, state->comm, copies.read(from), copies.written(std::move(to), in_place),
                      root);
    };
  };
  return carry_out(*state, decision, in_place ? 0 : from.bytes(), call, by(mpi::begin_gatherv),
                   by(mpi::run_gatherv));
}

template <typename Native>
int scatter(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type, void* received,
            std::int64_t received_count, MPI_Datatype received_type, int root, MPI_Comm comm,
            const Native& call) {
  CommunicatorState* state = call.state(comm);
  if (state == nullptr) {
    return scatter_between(sent, sent_count, sent_type, received, received_count, received_type,
                           root, comm, call);
  }
  if (!is_rank(*state, root)) return call.pass_on();
  const bool is_root = state->comm.rank() == root;
  const bool in_place = is_root && received == MPI_IN_PLACE;
  if ((!in_place && !is_buffer(received_count, received_type)) ||
      (is_root && !is_buffer(sent_count, sent_type))) {
    return call.pass_on();
  }
  const Buffer from = is_root ? buffer(sent, sent_count, sent_type) : Buffer{};
  const Buffer to =
      in_place ? Buffer{MPI_IN_PLACE} : buffer(received, received_count, received_type);
  if ((is_root && !has_memory(from)) || (!in_place && !has_memory(to))) return call.pass_on();
  const std::int64_t bytes = (is_root ? from.bytes() : to.bytes()) * state->comm.size();
  Decision& decision = state->decide(Collective::scatter, bytes);
  const auto by = [&](const auto& function) {
    return [&](Plan& plan, auto& copies) {
      return function(plan, state->comm, copies.read(from, state->comm.size()), copies.written(to),
                      root);
    };
  };
  return carry_out(*state, decision, bytes, call, by(mpi::begin_scatter), by(mpi::run_scatter));
}

template <typename Count, typename Displacement, typename Native>
int scatterv(const void* sent, const Count* counts, const Displacement* displacements,
             MPI_Datatype sent_type, void* received, std::int64_t received_count,
             MPI_Datatype received_type, int root, MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.state(comm);
  if (state == nullptr) {
    return any_blocks_between(Collective::scatterv, true, sent, counts, displacements, sent_type,
                              received, received_count, received_type, root, comm, call);
  }
  if (!is_rank(*state, root)) return call.pass_on();
  const bool is_root = state->comm.rank() == root;
  const bool in_place = is_root && received == MPI_IN_PLACE;
  if ((!in_place && !is_buffer(received_count, received_type)) ||
      (is_root && (displacements == nullptr || sent_type == MPI_DATATYPE_NULL ||
                   counted(Listed<Count>{counts}, state->comm.size()).sum < 0))) {
    return call.pass_on();
  }
  const Buffer to =
      in_place ? Buffer{MPI_IN_PLACE} : buffer(received, received_count, received_type);
  if ((!in_place && !has_memory(to)) ||
      (is_root && !have_memory(sent, counts, displacements, sent_type, state->comm.size()))) {
    return call.pass_on();
  }
  Decision& decision = state->decide(Collective::scatterv);
  const auto by = [&](const auto& function) {
    return [&](Plan& plan, auto& copies) {
      Buffers from;
      if (is_root) {
        from = listed_buffers(sent, counts, displacements, sent_type, state->comm.size());
      }
      return function(plan, state->comm, copies.read(std::move(from)), copies.written(to), root);
    };
  };
  return carry_out(*state, decision, in_place ? 0 : to.bytes(), call, by(mpi::begin_scatterv),
                   by(mpi::run_scatterv));
}

}  // namespace roundelay::preload
