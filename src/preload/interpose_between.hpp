// SPDX-License-Identifier: Apache-2.0
// The calls on intercommunicators.
#pragma once

#include "preload/interpose.hpp"

namespace roundelay {

// Both groups know both lengths: what one sends the other receives.
template <typename Native>
int allgather_between(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type,
                      void* received, std::int64_t received_count, MPI_Datatype received_type,
                      MPI_Comm comm, const Native& go_on) {
  Station* station = Station::between(comm);
  if (station == nullptr || !is_buffer(sent_count, sent_type) ||
      !is_buffer(received_count, received_type)) {
    return go_on();
  }
  const Buffer from = buffer(sent, sent_count, sent_type);
  const Buffer to = buffer(received, received_count, received_type);
  const std::int64_t bytes =
      from.bytes() * station->comm.local_size() + to.bytes() * station->comm.remote_size();
  Decision& decision = station->decide(Collective::allgather, bytes);
  return carry_out(*station, decision, bytes, go_on, [&](Plan& plan) {
    return run_allgather_between(plan, station->comm, from, to);
  });
}

// A rank knows what the other group sends, of its own group only what it sends itself.
template <typename Count, typename Displacement, typename Native>
int allgatherv_between(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type,
                       void* received, const Count* counts, const Displacement* displacements,
                       MPI_Datatype received_type, MPI_Comm comm, const Native& go_on) {
  Station* station = Station::between(comm);
  if (station == nullptr || !is_buffer(sent_count, sent_type) || displacements == nullptr ||
      received_type == MPI_DATATYPE_NULL) {
    return go_on();
  }
  const int remote = station->comm.remote_size();
  const std::int64_t elements = counted(Listed<Count>{counts}, remote).sum;
  if (elements < 0) return go_on();
  const Buffer from = buffer(sent, sent_count, sent_type);
  Decision& decision = station->decide(Collective::allgatherv);
  return carry_out(*station, decision, elements * describe(received_type).size, go_on,
                   [&](Plan& plan) {
                     return run_allgatherv_between(
                         plan, station->comm, from,
                         listed_buffers(received, counts, displacements, received_type, remote));
                   });
}

}  // namespace roundelay
