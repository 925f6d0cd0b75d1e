// SPDX-License-Identifier: Apache-2.0
// The calls that stand between the program and its MPI library, with counts of any size. The entry
// points of each language translate their arguments and end here; `go_on` is the call that they
// would have been without this library.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "preload/configuration.hpp"
#include "preload/station.hpp"
#include "preload/trace.hpp"

#define ROUNDELAY_EXPORT extern "C" __attribute__((visibility("default")))

namespace roundelay {

// Runs what was decided and records it. `ours` runs the plan and returns an MPI error code, which
// is raised on the user's communicator by its own error handler.
template <typename Native, typename Ours>
int carry_out(Station& station, Decision& decision, std::int64_t bytes, const Native& go_on,
              const Ours& ours) {
  const bool timed = decision.tally.wants_time();
  const std::uint64_t start = timed ? ticks() : 0;
  int error = MPI_SUCCESS;
  if (decision.plan.way == Plan::Way::native) {
    error = go_on();
  } else if (decision.plan.way == Plan::Way::schedule) {
    error = ours(decision.plan);
    if (error != MPI_SUCCESS) {
      PMPI_Comm_call_errhandler(station.comm.user(), error);
      return error;
    }
  }
  if (timed) decision.tally.add_time(ticks() - start);
  note(station, decision, bytes);
  return error;
}

// Whether the MPI library has the operation for the type. What it would refuse is left to it, so
// that its error is the one that users know.
inline bool is_legal(Decision& decision, MPI_Op op, MPI_Datatype type) {
  if (decision.accepted.op == op && decision.accepted.type == type) [[likely]]
    return true;
  Station* alone = Station::of(MPI_COMM_SELF);
  if (alone == nullptr || !accepts(op, type, alone->comm.own())) return false;
  decision.accepted = {op, type};
  return true;
}

template <typename Native>
int allgather(const void* sent, std::int64_t sent_count, MPI_Datatype sent_type, void* received,
              std::int64_t received_count, MPI_Datatype received_type, MPI_Comm comm,
              const Native& go_on) {
  Station* station = Station::of(comm);
  const bool in_place = sent == MPI_IN_PLACE;
  if (station == nullptr || received_count < 0 || received_type == MPI_DATATYPE_NULL ||
      (!in_place && (sent_count < 0 || sent_type == MPI_DATATYPE_NULL))) {
    return go_on();
  }
  const Buffer to{received, received_count, &describe(received_type)};
  const std::int64_t bytes = to.bytes() * station->comm.size();
  Decision& decision = station->decide(Collective::allgather, bytes, true);
  return carry_out(*station, decision, bytes, go_on, [&](Plan& plan) {
    const Buffer from{const_cast<void*>(sent), in_place ? 0 : sent_count,
                      in_place ? to.type : &describe(sent_type)};
    if (!in_place && from.bytes() != to.bytes()) return static_cast<int>(MPI_ERR_TRUNCATE);
    return run_allgather(plan, station->comm, from, to);
  });
}

template <typename Native>
int allreduce(const void* sent, void* received, std::int64_t count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, const Native& go_on) {
  Station* station = Station::of(comm);
  if (station == nullptr || count < 0 || type == MPI_DATATYPE_NULL || op == MPI_OP_NULL ||
      sent == received) {
    return go_on();
  }
  const Buffer to{received, count, &describe(type)};
  const bool commutative = is_commutative(op);
  Decision& decision = station->decide(Collective::allreduce, to.bytes(), commutative);
  if (decision.plan.way == Plan::Way::schedule && !is_legal(decision, op, type)) return go_on();
  return carry_out(*station, decision, to.bytes(), go_on, [&](Plan& plan) {
    return run_allreduce(plan, station->comm, sent, to, op, commutative);
  });
}

template <typename Native>
int barrier(MPI_Comm comm, const Native& go_on) {
  Station* station = Station::of(comm);
  if (station == nullptr) return go_on();
  Decision& decision = station->decide(Collective::barrier, 0, true);
  return carry_out(*station, decision, 0, go_on,
                   [&](Plan& plan) { return run_barrier(plan, station->comm); });
}

template <typename Native>
int bcast(void* address, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm,
          const Native& go_on) {
  Station* station = Station::of(comm);
  if (station == nullptr || count < 0 || type == MPI_DATATYPE_NULL || root < 0 ||
      root >= station->comm.size()) {
    return go_on();
  }
  const Buffer buffer{address, count, &describe(type)};
  Decision& decision = station->decide(Collective::bcast, buffer.bytes(), true);
  return carry_out(*station, decision, buffer.bytes(), go_on,
                   [&](Plan& plan) { return run_bcast(plan, station->comm, buffer, root); });
}

template <typename Native>
int reduce(const void* sent, void* received, std::int64_t count, MPI_Datatype type, MPI_Op op,
           int root, MPI_Comm comm, const Native& go_on) {
  Station* station = Station::of(comm);
  if (station == nullptr || count < 0 || root < 0 || root >= station->comm.size() ||
      type == MPI_DATATYPE_NULL || op == MPI_OP_NULL ||
      (sent == received && station->comm.rank() == root)) {
    return go_on();
  }
  const Buffer from{const_cast<void*>(sent), count, &describe(type)};
  const bool commutative = is_commutative(op);
  Decision& decision = station->decide(Collective::reduce, from.bytes(), commutative);
  if (decision.plan.way == Plan::Way::schedule && !is_legal(decision, op, type)) return go_on();
  return carry_out(*station, decision, from.bytes(), go_on, [&](Plan& plan) {
    return run_reduce(plan, station->comm, from, received, root, op, commutative);
  });
}

}  // namespace roundelay
