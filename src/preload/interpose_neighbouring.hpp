// SPDX-License-Identifier: Apache-2.0
// The calls in which a rank exchanges blocks with its neighbours, with counts of any size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "preload/interpose_exchanging.hpp"

namespace roundelay::preload {

// One side of a neighbor_alltoall, or what a neighbor_allgather receives: blocks of one length, one
// after the other. Of what it sends there is one.
template <typename Count>
struct Consecutive {
  const void* address;
  Count count;
  MPI_Datatype type;

  [[nodiscard]] bool legal() const {
    return is_buffer(count, type) && is_committed(type) && has_memory(first());
  }
  [[nodiscard]] static bool legal(int /*i*/) { return true; }
  [[nodiscard]] Buffer first() const { return buffer(address, count, type); }
  [[nodiscard]] Buffer block(int i) const { return first().of(i); }
};

// Of a block without a neighbour nothing counts.
template <typename Side>
bool legal_for(const Side& side, std::span<const Edge> edges) {
  if (edges.empty()) return true;
  return side.legal() &&
         std::ranges::all_of(edges, [&](Edge edge) { return side.legal(edge.block); });
}
inline Buffer no_block() { return buffer(nullptr, 0, MPI_BYTE); }
template <typename Side>
Buffer first_for(const Side& side, std::span<const Edge> edges) {
  return edges.empty() ? no_block() : side.first();
}
template <typename Side>
Buffers blocks_for(const Side& side, std::span<const Edge> edges, int count) {
  Buffers blocks(static_cast<std::size_t>(count), no_block());
  for (const Edge edge : edges) {
    blocks[static_cast<std::size_t>(edge.block)] = side.block(edge.block);
  }
  return blocks;
}

template <typename SentSide, typename ReceivedSide, typename Native>
int exchange_with_neighbours(Collective collective, const SentSide& sent,
                             const ReceivedSide& received, MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.with_neighbours(comm);
  if (state == nullptr) return call.pass_on();
  const Graph& graph = *state->comm.graph();
  const int rank = state->comm.rank();
  const std::span<const Edge> sources = graph.sources(rank);
  const bool to_all = sends_one_block(collective);
  constexpr Edge one_for_all;
  const std::span<const Edge> destinations = to_all && !graph.destinations(rank).empty()
                                                 ? std::span(&one_for_all, 1)
                                                 : graph.destinations(rank);
  const bool legal = call.legal() && legal_for(received, sources) && legal_for(sent, destinations);
  std::int64_t bytes = 0;
  if (legal) {
    for (const Edge from : sources) bytes += received.block(from.block).bytes();
  }
  // A rank whose call is not legal is one of those that agree on a length all the same.
  Decision& decision = call.decide_by_part(*state, collective, bytes);
  if (!legal) return call.pass_on();
  const int sent_blocks = to_all ? static_cast<int>(destinations.size()) : graph.sent_blocks(rank);
  const int received_blocks = graph.received_blocks(rank);
  const auto by = [&]([[maybe_unused]] const auto& of_one_length, const auto& listed) {
    return [&](Plan& plan, auto& copies) {
      if constexpr (requires { sent.first(), received.first(); }) {
        const Buffer from = first_for(sent, destinations);
        const Buffer to = first_for(received, sources);
        if (mpi::needs_no_lists(plan, state->comm, from, to)) {
          return of_one_length(plan, state->comm, copies.read(from, sent_blocks),
                               copies.written(to, true, received_blocks));
        }
      }
      return listed(plan, state->comm, copies.read(blocks_for(sent, destinations, sent_blocks)),
                    copies.written(blocks_for(received, sources, received_blocks)));
    };
  };
  return carry_out(*state, decision, bytes, call,
                   by(mpi::begin_neighbor_alltoall, mpi::begin_neighbor_alltoallv),
                   by(mpi::run_neighbor_alltoall, mpi::run_neighbor_alltoallv));
}

}  // namespace roundelay::preload
