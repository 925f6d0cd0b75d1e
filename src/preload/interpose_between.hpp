// SPDX-License-Identifier: Apache-2.0
// The calls on intercommunicators.
#pragma once

#include "preload/interpose.hpp"

namespace roundelay::preload {

// Whether a buffer that counts is legal: MPI_IN_PLACE is not.
inline bool is_memory(const void* address, std::int64_t count, MPI_Datatype type) {
  return is_buffer(count, type) && has_memory(buffer(address, count, type));
}

// Both groups know both lengths: what one sends the other receives.
template <typename Native>
int allgather_between(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type,
                      void* received, std::int64_t received_count, MPI_Datatype received_type,
                      MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.between(comm, Collective::allgather);
  if (state == nullptr || !is_buffer(sent_count, sent_type) ||
      !is_buffer(received_count, received_type)) {
    return call.pass_on();
  }
  const Buffer from = buffer(sent, sent_count, sent_type);
  const Buffer to = buffer(received, received_count, received_type);
  if (!has_memory(from) || !has_memory(to)) return call.pass_on();
  const std::int64_t bytes =
      from.bytes() * state->comm.local_size() + to.bytes() * state->comm.remote_size();
  Decision& decision = state->decide(Collective::allgather, bytes);
  return carry_out(*state, decision, bytes, call, [&](Plan& plan, auto& copies) {
    return begin_allgather_between(plan, state->comm, copies.read(from),
                                   copies.written(to, false, state->comm.remote_size()));
  });
}

// A rank knows what the other group sends, of its own group only what it sends itself.
template <typename Count, typename Displacement, typename Native>
int allgatherv_between(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type,
                       void* received, const Count* counts, const Displacement* displacements,
                       MPI_Datatype received_type, MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.between(comm, Collective::allgatherv);
  if (state == nullptr || !is_buffer(sent_count, sent_type) || displacements == nullptr ||
      received_type == MPI_DATATYPE_NULL) {
    return call.pass_on();
  }
  const int remote = state->comm.remote_size();
  const std::int64_t elements = counted(Listed<Count>{counts}, remote).sum;
  if (elements < 0) return call.pass_on();
  const Buffer from = buffer(sent, sent_count, sent_type);
  if (!has_memory(from) || !have_memory(received, counts, displacements, received_type, remote)) {
    return call.pass_on();
  }
  Decision& decision = state->decide(Collective::allgatherv);
  return carry_out(
      *state, decision, elements * describe(received_type).size, call,
      [&](Plan& plan, auto& copies) {
        return begin_allgatherv_between(
            plan, state->comm, copies.read(from),
            copies.written(listed_buffers(received, counts, displacements, received_type, remote)));
      });
}

template <typename Native>
int barrier_between(MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.between(comm, Collective::barrier);
  if (state == nullptr) return call.pass_on();
  Decision& decision = state->decide(Collective::barrier, 0);
  return carry_out(*state, decision, 0, call, [&](Plan& plan, auto& /*copies*/) {
    return begin_barrier_between(plan, state->comm);
  });
}

// A rooted call. The ranks of the root's group that are not the root, who pass MPI_PROC_NULL, know
// neither the length nor the operation: all decide by what they know. `is_legal` of the arguments
// that count at the others, of which `bytes` may be known; `run` is not for those ranks.
template <typename IsLegal, typename Bytes, typename Native, typename Run>
int rooted_between(Collective collective, int root, MPI_Comm comm, const IsLegal& is_legal,
                   const Bytes& bytes, const Native& call, const Run& run) {
  CommunicatorState* state = call.between(comm, collective);
  if (state == nullptr) return call.pass_on();
  const bool takes_no_part = root == MPI_PROC_NULL;
  const bool of_others = root >= 0 && root < state->comm.remote_size();
  if (!takes_no_part && root != MPI_ROOT && !of_others) return call.pass_on();
  Decision& decision = state->decide(collective);
  if (!takes_no_part && !is_legal(*state, decision)) return call.pass_on();
  return carry_out(*state, decision, takes_no_part ? 0 : bytes(), call,
                   [&](Plan& plan, auto& copies) {
                     return takes_no_part ? begin_nothing_between(plan, state->comm)
                                          : run(plan, state->comm, copies);
                   });
}

template <typename Native>
int bcast_between(void* address, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm,
                  const Native& call) {
  return rooted_between(
      Collective::bcast, root, comm,
      [&](const CommunicatorState&, const Decision&) { return is_memory(address, count, type); },
      [&] { return buffer(address, count, type).bytes(); }, call,
      [&](Plan& plan, Communicator& where, auto& copies) {
        const Buffer data = buffer(address, count, type);
        return begin_bcast_between(
            plan, where, root == MPI_ROOT ? copies.read(data) : copies.written(data), root);
      });
}

// gather and scatter. `sends`: the given blocks are sent, by the root, or the block of each of the
// others.
template <typename Native>
int even_blocks_between(Collective collective, bool sends, const void* address, std::int64_t count,
                        MPI_Datatype type, int root, MPI_Comm comm, const Native& call) {
  return rooted_between(
      collective, root, comm,
      [&](const CommunicatorState&, const Decision&) { return is_memory(address, count, type); },
      [&] { return buffer(address, count, type).bytes(); }, call,
      [&](Plan& plan, Communicator& where, auto& copies) {
        const Buffer given = buffer(address, count, type);
        const int blocks = root == MPI_ROOT ? where.remote_size() : 1;
        return begin_even_blocks_between(
            plan, where, sends ? copies.read(given, blocks) : copies.written(given, false, blocks),
            root, sends);
      });
}

template <typename Native>
int gather_between(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type,
                   void* received, std::int64_t received_count, MPI_Datatype received_type,
                   int root, MPI_Comm comm, const Native& call) {
  return root == MPI_ROOT ? even_blocks_between(Collective::gather, false, received, received_count,
                                                received_type, root, comm, call)
                          : even_blocks_between(Collective::gather, true, sent, sent_count,
                                                sent_type, root, comm, call);
}

template <typename Native>
int scatter_between(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type,
                    void* received, std::int64_t received_count, MPI_Datatype received_type,
                    int root, MPI_Comm comm, const Native& call) {
  return root == MPI_ROOT ? even_blocks_between(Collective::scatter, true, sent, sent_count,
                                                sent_type, root, comm, call)
                          : even_blocks_between(Collective::scatter, false, received,
                                                received_count, received_type, root, comm, call);
}

// gatherv and scatterv: blocks of any lengths at the root, one at each of the others. `root_sends`
// them.
template <typename Count, typename Displacement, typename Native>
int any_blocks_between(Collective collective, bool root_sends, const void* blocks,
                       const Count* counts, const Displacement* displacements,
                       MPI_Datatype blocks_type, const void* block, std::int64_t count,
                       MPI_Datatype type, int root, MPI_Comm comm, const Native& call) {
  const bool is_root = root == MPI_ROOT;
  return rooted_between(
      collective, root, comm,
      [&](const CommunicatorState& state, const Decision&) {
        if (!is_root) return is_memory(block, count, type);
        const int remote = state.comm.remote_size();
        return displacements != nullptr && blocks_type != MPI_DATATYPE_NULL &&
               counted(Listed<Count>{counts}, remote).sum >= 0 &&
               have_memory(blocks, counts, displacements, blocks_type, remote);
      },
      [&] { return is_root ? 0 : buffer(block, count, type).bytes(); }, call,
      [&](Plan& plan, Communicator& where, auto& copies) {
        Buffers given = is_root ? listed_buffers(blocks, counts, displacements, blocks_type,
                                                 where.remote_size())
                                : Buffers{buffer(block, count, type)};
        const bool sends = root_sends == is_root;
        return begin_any_blocks_between(
            plan, where, sends ? copies.read(std::move(given)) : copies.written(std::move(given)),
            root, sends);
      });
}

}  // namespace roundelay::preload
