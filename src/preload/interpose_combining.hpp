// SPDX-License-Identifier: Apache-2.0
// The calls that combine data, with counts of any size.
#pragma once

#include <span>
#include <vector>

#include "mpi/operation.hpp"
#include "preload/interpose_between.hpp"

namespace roundelay::preload {

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

// What allreduce, reduce, scan and exscan have in common: `run(plan, station, sent, operation)`.
template <typename Native, typename Run>
int combine(Collective collective, Station* station, const void* sent, std::int64_t count,
            MPI_Datatype type, MPI_Op op, const Native& go_on, const Run& run) {
  if (station == nullptr || !is_buffer(count, type) || op == MPI_OP_NULL) return go_on();
  const Buffer from = buffer(sent, count, type);
  const OperationKind kind = kind_of(op);
  const std::int64_t bytes = from.bytes();
  Decision& decision = station->decide(collective, bytes, kind);
  if (decision.plan.way == Plan::Way::schedule && !is_legal(decision, op, type)) return go_on();
  return carry_out(*station, decision, bytes, go_on, [&](Plan& plan) {
    return run(plan, station->comm, from, Operation{op, from.type, kind.commutative()});
  });
}

template <typename Native>
int allreduce(const void* sent, void* received, std::int64_t count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, const Native& go_on) {
  Station* station =
      sent != received ? Station::any(comm, Collective::allreduce, sent == MPI_IN_PLACE) : nullptr;
  return combine(
      Collective::allreduce, station, sent, count, type, op, go_on,
      [&](Plan& plan, Communicator& where, const Buffer& from, const Operation& operation) {
        const auto run_here = where.inter() ? mpi::run_allreduce_between : mpi::run_allreduce;
        return run_here(plan, where, from, received, operation);
      });
}

// What a rank of the root's group that is not the root does not know is the operation, so that
// the choice is not made by it; see require_order.
template <typename Native>
int reduce_between(const void* sent, void* received, std::int64_t count, MPI_Datatype type,
                   MPI_Op op, int root, MPI_Comm comm, const Native& go_on) {
  return rooted_between(
      Collective::reduce, root, comm,
      [&](const Station&, Decision& decision) {
        return sent != MPI_IN_PLACE && is_buffer(count, type) && op != MPI_OP_NULL &&
               (decision.plan.way != Plan::Way::schedule || is_legal(decision, op, type));
      },
      [&] { return buffer(sent, count, type).bytes(); }, go_on,
      [&](Plan& plan, Communicator& where) {
        const Buffer from = buffer(sent, count, type);
        const Operation operation{op, from.type, kind_of(op).commutative()};
        require_order(plan, where, operation.commutative, root == MPI_ROOT);
        return run_reduce_between(plan, where, from, received, root, operation);
      });
}

template <typename Native>
int reduce(const void* sent, void* received, std::int64_t count, MPI_Datatype type, MPI_Op op,
           int root, MPI_Comm comm, const Native& go_on) {
  Station* station = Station::of(comm);
  if (station == nullptr) {
    return reduce_between(sent, received, count, type, op, root, comm, go_on);
  }
  if (!is_rank(*station, root) || (sent == received && station->comm.rank() == root)) {
    return go_on();
  }
  return combine(
      Collective::reduce, station, sent, count, type, op, go_on,
      [&](Plan& plan, Communicator& where, const Buffer& from, const Operation& operation) {
        return run_reduce(plan, where, from, received, root, operation);
      });
}

// scan and exscan.
template <typename Native>
int scan(Collective collective, const void* sent, void* received, std::int64_t count,
         MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Native& go_on) {
  Station* station = sent != received ? Station::of(comm) : nullptr;
  return combine(
      collective, station, sent, count, type, op, go_on,
      [&](Plan& plan, Communicator& where, const Buffer& from, const Operation& operation) {
        return run_scan(plan, where, from, received, operation);
      });
}

// reduce_scatter and reduce_scatter_block: `count_of(rank)` elements are the rank's.
template <typename CountOf, typename Native>
int reduce_scatter(Collective collective, const void* sent, void* received, const CountOf& count_of,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Native& go_on) {
  Station* station =
      sent != received ? Station::any(comm, collective, sent == MPI_IN_PLACE) : nullptr;
  if (station == nullptr || type == MPI_DATATYPE_NULL || op == MPI_OP_NULL) return go_on();
  const bool between = station->comm.inter();
  const int ranks = between ? station->comm.local_size() : station->comm.size();
  const Counted elements = counted(count_of, ranks);
  if (elements.sum < 0) return go_on();
  const OperationKind kind = kind_of(op);
  const Operation operation{op, &describe(type), kind.commutative()};
  const std::int64_t bytes = elements.sum * operation.type->size;
  // The other group does not know how this one shares out its result.
  const Unevenness unevenness =
      between ? Unevenness() : Unevenness(elements.sum, elements.longest, ranks);
  Decision& decision = station->decide(collective, bytes, kind, unevenness);
  if (decision.plan.way == Plan::Way::schedule && !is_legal(decision, op, type)) return go_on();
  return carry_out(*station, decision, bytes, go_on, [&](Plan& plan) {
    static thread_local std::vector<Units> counts;
    counts.clear();
    for (int i = 0; i < ranks; ++i) counts.push_back(count_of(i));
    const auto run = between ? mpi::run_reduce_scatter_between : mpi::run_reduce_scatter;
    return run(plan, station->comm, sent, received, counts, operation);
  });
}

}  // namespace roundelay::preload
