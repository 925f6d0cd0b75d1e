// SPDX-License-Identifier: Apache-2.0
// The calls that combine data, with counts of any size.
#pragma once

#include <span>
#include <vector>

#include "choose/verdict.hpp"
#include "mpi/operation.hpp"
#include "preload/abort_program.hpp"
#include "preload/interpose_between.hpp"

namespace roundelay::preload {

// Whether the MPI library has the operation for the type. What it would refuse is left to it, so
// that its error is the one that users know.
inline bool is_legal(Decision& decision, MPI_Op op, MPI_Datatype type) {
  if (decision.accepted.op == op && decision.accepted.type == type) [[likely]]
    return true;
  if (!accepts(op, type)) return false;
  decision.accepted = {op, type};
  return true;
}

// Whether the buffers of a call that combines are legal on this rank, if they are not both plain.
// `received` has no type where the rank receives nothing. Where the two are one, `sent` becomes in
// place.
[[gnu::noinline]] inline bool are_buffers(Buffer& sent, const Buffer& received,
                                          bool may_be_in_place) {
  const bool receives = received.type != nullptr;
  if (receives && !has_memory(received)) return false;
  if (receives && sent.address == received.address && sent.bytes() > 0) {
    if (!one_buffer_is_in_place) return false;
    sent.address = MPI_IN_PLACE;
  }
  return sent.in_place() ? may_be_in_place : has_memory(sent);
}

// What a call runs that combines `sent`. Operations of MPI's own are for types whose elements are
// clear of each other.
inline Decision& decide_to_combine(CommunicatorState& state, Collective collective,
                                   const Buffer& sent, OperationKind kind,
                                   Unevenness unevenness = {}) {
  if (!kind.predefined() && sent.type->elements_overlap()) [[unlikely]]
    return state.leave_native(collective, choose::elements_overlap);
  return state.decide(collective, sent.bytes(), kind, unevenness);
}

// What allreduce, reduce, scan and exscan have in common: `begin` and `run` take (plan,
// communicator, sent, received, operation). `receives`: whether this rank does; then it may also be
// in place.
template <typename Native, typename Begin, typename Run>
int combine(Collective collective, CommunicatorState* state, const void* sent, void* received,
            bool receives, std::int64_t count, MPI_Datatype type, MPI_Op op, const Native& call,
            const Begin& begin, const Run& run) {
  if (state == nullptr || !is_buffer(count, type) || op == MPI_OP_NULL) return call.pass_on();
  Buffer from = buffer(sent, count, type);
  const bool receives_plainly = !receives || (is_plain(received) && sent != received);
  if (!is_plain(sent) || !receives_plainly) [[unlikely]] {
    const Buffer to = receives ? Buffer{received, count, from.type} : Buffer{};
    if (!are_buffers(from, to, receives && !state->comm.inter())) return call.pass_on();
  }
  const OperationKind kind = kind_of(op);
  const std::int64_t bytes = from.bytes();
  Decision& decision = decide_to_combine(*state, collective, from, kind);
  if (decision.may_run_schedule() && !is_legal(decision, op, type)) return call.pass_on();
  const auto by = [&](const auto& function) {
    return [&](Plan& plan, auto& copies) {
      const Buffer to = receives ? copies.written({received, count, from.type}, from.in_place())
                                 : Buffer{received, 0, nullptr};
      return function(
          plan, state->comm, copies.read(from), to.address,
          copies.lasting(Operation{op, from.type, kind.commutative()}, kind.predefined()));
    };
  };
  return carry_out(*state, decision, bytes, call, by(begin), by(run));
}

template <typename Native>
int allreduce(const void* sent, void* received, std::int64_t count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.any(comm, Collective::allreduce);
  return combine(
      Collective::allreduce, state, sent, received, true, count, type, op, call,
      [&](Plan& plan, Communicator& where, const Buffer& from, void* to,
          const Operation& operation) {
        if (where.inter()) [[unlikely]]
          return begin_allreduce_between(plan, where, from, to, operation);
        return begin_allreduce(plan, where, from, to, operation);
      },
      [&](Plan& plan, Communicator& where, const Buffer& from, void* to,
          const Operation& operation) {
        if (where.inter()) [[unlikely]]
          return begin_allreduce_between(plan, where, from, to, operation).wait();
        return run_allreduce(plan, where, from, to, operation);
      });
}

// For a reduce between groups that is forced, or that a profile says: ends the program if the
// choice cannot keep the order of an operation that needs one. Elsewhere that is found when all
// decide, but a rank of the root's group that is not the root does not know the operation. One rank
// `prints`.
inline void require_order(const Plan& plan, const Communicator& comm, bool commutative,
                          bool prints) {
  if (violated(*plan.choice, {comm.size(), commutative}) == nullptr) return;
  abort_program(comm,
                "reduce=" + plan.choice->text() +
                    " cannot keep the order of an operation that is not commutative; "
                    "inter_pieces(reduce_scatter=ordered) can",
                prints);
}

template <typename Native>
int reduce_between(const void* sent, void* received, std::int64_t count, MPI_Datatype type,
                   MPI_Op op, int root, MPI_Comm comm, const Native& call) {
  return rooted_between(
      Collective::reduce, root, comm,
      [&](const CommunicatorState&, Decision& decision) {
        return is_buffer(count, type) && op != MPI_OP_NULL &&
               has_memory(buffer(root == MPI_ROOT ? received : sent, count, type)) &&
               (!decision.may_run_schedule() || is_legal(decision, op, type));
      },
      [&] { return buffer(sent, count, type).bytes(); }, call,
      [&](Plan& plan, Communicator& where, auto& copies) {
        const bool is_root = root == MPI_ROOT;
        const Buffer given = buffer(sent, count, type);
        const Buffer from = is_root ? given : copies.read(given);
        const Buffer to = is_root ? copies.written({received, count, given.type}) : Buffer{};
        const OperationKind kind = kind_of(op);
        const Operation operation =
            copies.lasting(Operation{op, given.type, kind.commutative()}, kind.predefined());
        require_order(plan, where, operation.commutative, is_root);
        return begin_reduce_between(plan, where, from, to.address, root, operation);
      });
}

template <typename Native>
int reduce(const void* sent, void* received, std::int64_t count, MPI_Datatype type, MPI_Op op,
           int root, MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.state(comm);
  if (state == nullptr) {
    return reduce_between(sent, received, count, type, op, root, comm, call);
  }
  if (!is_rank(*state, root)) return call.pass_on();
  const bool is_root = state->comm.rank() == root;
  return combine(
      Collective::reduce, state, sent, received, is_root, count, type, op, call,
      [&](Plan& plan, Communicator& where, const Buffer& from, void* to,
          const Operation& operation) {
        return begin_reduce(plan, where, from, to, root, operation);
      },
      [&](Plan& plan, Communicator& where, const Buffer& from, void* to,
          const Operation& operation) {
        return run_reduce(plan, where, from, to, root, operation);
      });
}

// scan and exscan. On the first rank exscan has no result: its receive buffer counts only in place.
template <typename Native>
int scan(Collective collective, const void* sent, void* received, std::int64_t count,
         MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.state(comm);
  const bool receives = collective == Collective::scan || sent == MPI_IN_PLACE ||
                        state == nullptr || state->comm.rank() > 0;
  return combine(
      collective, state, sent, received, receives, count, type, op, call,
      [&](Plan& plan, Communicator& where, const Buffer& from, void* to,
          const Operation& operation) { return begin_scan(plan, where, from, to, operation); },
      [&](Plan& plan, Communicator& where, const Buffer& from, void* to,
          const Operation& operation) { return run_scan(plan, where, from, to, operation); });
}

// reduce_scatter and reduce_scatter_block: `count_of(rank)` elements are the rank's.
template <typename CountOf, typename Native>
int reduce_scatter(Collective collective, const void* sent, void* received, const CountOf& count_of,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Native& call) {
  CommunicatorState* state = call.any(comm, collective);
  if (state == nullptr || type == MPI_DATATYPE_NULL || op == MPI_OP_NULL) return call.pass_on();
  const bool between = state->comm.inter();
  const int ranks = between ? state->comm.local_size() : state->comm.size();
  const Counted elements = counted(count_of, ranks);
  if (elements.sum < 0) return call.pass_on();
  const OperationKind kind = kind_of(op);
  const int others_before =
      between && !state->comm.is_low() ? state->comm.remote_size() : 0;  // of the other group
  const std::int64_t own = count_of(state->comm.rank() - others_before);
  Buffer from = buffer(sent, elements.sum, type);
  Buffer to{received, from.in_place() ? elements.sum : own, from.type};
  if (!are_buffers(from, to, !between)) return call.pass_on();
  if (from.in_place()) to.count = elements.sum;  // also where the two are one
  const Operation operation{op, from.type, kind.commutative()};
  const std::int64_t bytes = from.bytes();
  // The other group does not know how this one shares out its result.
  const Unevenness unevenness =
      between ? Unevenness() : Unevenness(elements.sum, elements.longest, ranks);
  Decision& decision = decide_to_combine(*state, collective, from, kind, unevenness);
  if (decision.may_run_schedule() && !is_legal(decision, op, type)) return call.pass_on();
  const auto by = [&](const auto& function) {
    return [&](Plan& plan, auto& copies) {
      const Buffer to_host = copies.written(to, from.in_place());
      return function(plan, state->comm, copies.read(from), to_host.address,
                      copies.lasting(operation, kind.predefined()));
    };
  };
  if (!between && elements.sum / ranks == elements.longest) {
    return carry_out(*state, decision, bytes, call, by(mpi::begin_reduce_scatter_block),
                     by(mpi::run_reduce_scatter_block));
  }
  return carry_out(*state, decision, bytes, call,
                   by([&](Plan& plan, Communicator& where, const Buffer& data, void* result,
                          const Operation& lasting) {
                     std::vector<Units> counts(static_cast<std::size_t>(ranks));
                     for (int i = 0; i < ranks; ++i) {
                       counts[static_cast<std::size_t>(i)] = count_of(i);
                     }
                     const auto begin =
                         between ? mpi::begin_reduce_scatter_between : mpi::begin_reduce_scatter;
                     return begin(plan, where, data.address, result, std::move(counts), lasting);
                   }));
}

}  // namespace roundelay::preload
