// SPDX-License-Identifier: Apache-2.0
// What all calls that stand between the program and its MPI library have in common. The entry
// points of each language translate their arguments and end in interpose_*.hpp; `call` is how the
// program calls, and the call that it would have been without this library.
//
// Each of them first asks for the state of its communicator, which may be collective: only then may
// anything that this rank alone knows, such as an invalid argument, decide what becomes of the
// call. Each runs in guarded().
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "mpi/kept_arguments.hpp"
#include "mpi/pending.hpp"
#include "preload/communicator_state.hpp"
#include "preload/configuration.hpp"
#include "preload/learning.hpp"
#include "preload/persistent.hpp"
#include "preload/trace.hpp"
#include "schedule/per_thread.hpp"

#define ROUNDELAY_EXPORT extern "C" __attribute__((visibility("default")))

namespace roundelay::preload {

// What a function of the program has thrown, for example an error handler in C++, on its way to the
// program.
struct ThrownByProgram : std::exception {
  explicit ThrownByProgram(std::exception_ptr thrown) noexcept : exception(std::move(thrown)) {}
  std::exception_ptr exception;
};

// Calls what may call functions of the program. (Inlined, as pass_on() and guarded() are: else the
// arguments of an intercepted call go through memory, a fifth of its instructions.)
template <typename Function>
[[gnu::always_inline]] inline int of_program(const Function& function) {
  try {
    return function();
  } catch (...) {
    throw ThrownByProgram(std::current_exception());
  }
}

// Calls the error handler of the communicator. Returns the error.
int raise_error(MPI_Comm comm, int error);

// The same for the exception that is being handled, which is one of this library.
int raise_exception(MPI_Comm comm);

// Runs body(call). No exception but those of the program leaves it. Where a datatype was not
// committed, the call is passed on, because users know the MPI library's own error.
template <typename Call, typename Body>
[[gnu::always_inline]] inline int guarded(MPI_Comm comm, const Call& call, const Body& body) {
  try {
    return body(call);
  } catch (const ThrownByProgram& thrown) {
    std::rethrow_exception(thrown.exception);
  } catch (const NotCommitted&) {
    return call.native();
  } catch (...) {
    return raise_exception(comm);
  }
}

// A call that waits for its end. `native`: what it would have been without this library.
template <typename Native>
struct Blocking {
  Native native;

  [[nodiscard, gnu::always_inline]] int pass_on() const { return of_program(native); }

  static CommunicatorState* state(MPI_Comm comm) { return CommunicatorState::of(comm); }
  static CommunicatorState* between(MPI_Comm comm, Collective collective) {
    return CommunicatorState::between(comm, collective);
  }
  static CommunicatorState* any(MPI_Comm comm, Collective collective) {
    return CommunicatorState::any(comm, collective);
  }
  static CommunicatorState* state_by_part(MPI_Comm comm) { return CommunicatorState::of(comm); }
  static CommunicatorState* with_neighbours(MPI_Comm comm) {
    return CommunicatorState::with_neighbours(comm);
  }
  static constexpr bool legal() { return true; }
  static Decision& decide_by_part(CommunicatorState& state, Collective collective,
                                  std::int64_t received, std::int64_t longest = 0) {
    return state.decide_by_part(collective, received, longest);
  }
};
template <typename Native>
Blocking(Native) -> Blocking<Native>;

// A call that the program waits for later, with a request, which it may have to start. It never
// waits, so that it is left to the MPI library until another call has made the ranks agree. But
// what makes a persistent request may wait (MPI 4.1, 6.13): the ranks agree there.
template <typename Native>
struct WithRequest {
  Form form;
  Collective collective;
  MPI_Request* request;
  Native native;

  [[nodiscard, gnu::always_inline]] int pass_on() const { return of_program(native); }

  [[nodiscard]] CommunicatorState* state(MPI_Comm comm) const {
    return if_asked(form == Form::persistent
                        ? CommunicatorState::for_many_calls(CommunicatorState::of(comm))
                        : CommunicatorState::if_agreed(comm, collective));
  }
  [[nodiscard]] CommunicatorState* between(MPI_Comm comm, Collective /*collective*/) const {
    return if_asked(form == Form::persistent
                        ? CommunicatorState::between(comm, collective)
                        : CommunicatorState::between_if_agreed(comm, collective));
  }
  [[nodiscard]] CommunicatorState* any(MPI_Comm comm, Collective /*collective*/) const {
    CommunicatorState* within = state(comm);
    return within != nullptr ? within : between(comm, collective);
  }
  // Of calls that are decided by part: all ranks come there, also with a call that is not legal.
  [[nodiscard]] CommunicatorState* state_by_part(MPI_Comm comm) const {
    return form == Form::persistent ? CommunicatorState::for_many_calls(CommunicatorState::of(comm))
                                    : state(comm);
  }
  [[nodiscard]] CommunicatorState* with_neighbours(MPI_Comm comm) const {
    if (form == Form::persistent) {
      return CommunicatorState::for_many_calls(CommunicatorState::with_neighbours(comm));
    }
    CommunicatorState* agreed = state(comm);
    return agreed != nullptr && agreed->comm.graph() != nullptr ? agreed : nullptr;
  }
  // Not without a place for the request.
  [[nodiscard]] bool legal() const { return request != nullptr; }
  [[nodiscard]] CommunicatorState* if_asked(CommunicatorState* state) const {
    return legal() ? state : nullptr;
  }
  [[nodiscard]] Decision& decide_by_part(CommunicatorState& state, Collective collective,
                                         std::int64_t received, std::int64_t longest = 0) const {
    return form == Form::persistent ? state.decide_by_told_part(collective, received, longest)
                                    : state.decide_by_known_part(collective);
  }
};
template <typename Native>
WithRequest(Form, Collective, MPI_Request*, Native) -> WithRequest<Native>;

// Runs what was decided and records it. `run` runs the plan on buffers that went through
// HostCopies, and returns an MPI error code, which is raised on the user's communicator by its own
// error handler. `begin` only begins to: it is for where other calls are pending. Both are made of
// (Plan&, copies), where the copies may also be KeptArguments.
template <typename Native, typename Begin, typename Run>
int carry_out(CommunicatorState& state, Decision& decided, std::int64_t bytes,
              const Blocking<Native>& call, const Begin& begin, const Run& run) {
  Decision& decision = decided.learning == nullptr ? decided : decided.learning->of_next_call();
  const bool timed = decision.tally.wants_time();
  const std::uint64_t start = timed ? ticks() : 0;
  int error = MPI_SUCCESS;
  if (decision.plan.way == Plan::Way::native) {
    error = call.pass_on();
  } else if (decision.plan.way == Plan::Way::schedule) {
    HostCopies copies(state.may_use_device());
    if (state.comm.any_pending()) [[unlikely]] {
      mpi::Running running = begin(decision.plan, copies);
      error = mpi::finish(state.comm, running);
    } else {
      error = run(decision.plan, copies);
    }
    if (state.may_use_device()) [[unlikely]]
      error = state.after_schedule(decision.outcome->collective, copies, error);
    if (error != MPI_SUCCESS) return raise_error(state.comm.user(), error);
  }
  if (timed) decision.tally.add_time(ticks() - start);
  note(state, decision, bytes);
  return error;
}
template <typename Native, typename Begin>
int carry_out(CommunicatorState& state, Decision& decided, std::int64_t bytes,
              const Blocking<Native>& call, const Begin& begin) {
  return carry_out(state, decided, bytes, call, begin,
                   [&](Plan& plan, HostCopies& copies) { return begin(plan, copies).wait(); });
}

// Starts it, or makes what the program may start.
template <typename Native, typename Begin, typename Run = std::nullptr_t>
int carry_out(CommunicatorState& state, Decision& decided, std::int64_t bytes,
              const WithRequest<Native>& call, const Begin& begin, const Run& /*run*/ = {}) {
  Decision& decision = state.later(call.form, decided);
  if (call.form == Form::persistent && decision.plan.way == Plan::Way::schedule) {
    auto made = std::make_unique<PersistentCall>(state, decision, bytes);
    mpi::Running running = begin(made->plan, made->arguments);
    const int error = make_persistent(std::move(made), std::move(running), *call.request);
    return error == MPI_SUCCESS ? error : raise_error(state.comm.user(), error);
  }
  const bool timed = decision.tally.wants_time();
  const std::uint64_t start = timed ? ticks() : 0;
  int error = MPI_SUCCESS;
  if (decision.plan.way == Plan::Way::schedule) {
    mpi::KeptArguments arguments;
    mpi::Running running = begin(decision.plan, arguments);
    error = mpi::start(state.comm, std::move(running), std::move(arguments), bytes, *call.request);
    if (error != MPI_SUCCESS) return raise_error(state.comm.user(), error);
  } else {
    error = call.pass_on();
  }
  if (timed) decision.tally.add_time(ticks() - start);
  note(state, decision, bytes);
  return error;
}

// A root that is a rank of the communicator.
inline bool is_rank(const CommunicatorState& state, int root) {
  return root >= 0 && root < state.comm.size();
}

inline bool is_buffer(std::int64_t count, MPI_Datatype type) {
  return count >= 0 && type != MPI_DATATYPE_NULL;
}

inline Buffer buffer(const void* address, std::int64_t count, MPI_Datatype type) {
  return {const_cast<void*>(address), count, &describe(type)};  // what is sent is not written
}

// An address like most are: neither NULL nor MPI_IN_PLACE, which both need a closer look.
inline bool is_plain(const void* address) { return address != nullptr && address != MPI_IN_PLACE; }

// Whether there may be memory at the address. NULL may be MPI_BOTTOM, but not for a predefined
// type.
inline bool has_memory(const Buffer& buffer) {
  if (is_plain(buffer.address)) [[likely]]
    return true;
  return !buffer.in_place() && (!buffer.type->predefined || buffer.bytes() == 0);
}

// The same of a block at a displacement, which may even make MPI_IN_PLACE of NULL. Where an empty
// block lies does not matter.
inline bool has_memory_for_block(const Buffer& block) {
  return block.bytes() == 0 || has_memory(block);
}

// The send argument where MPI_IN_PLACE makes the others insignificant.
inline Buffer sent_buffer(const void* address, std::int64_t count, MPI_Datatype type) {
  if (address == MPI_IN_PLACE) return {MPI_IN_PLACE, 0, nullptr};
  return buffer(address, count, type);
}

// Open MPI takes a call that combines, and whose two buffers are one, as a call in place. MPICH
// refuses it, and so it does an alltoall; Open MPI does not look there. Two buffers at MPI_BOTTOM
// are one only if their types are.
inline constexpr bool one_buffer_is_in_place = ROUNDELAY_OPEN_MPI != 0;

// Where the blocks of a call lie that has an array of counts and one of displacements, for every
// rank.
template <typename Count, typename Displacement>
Buffers listed_buffers(const void* address, const Count* counts, const Displacement* displacements,
                       MPI_Datatype type, int ranks) {
  Buffers buffers;
  buffers.reserve(static_cast<std::size_t>(ranks));
  const Datatype& description = describe(type);
  auto* base = static_cast<std::byte*>(const_cast<void*>(address));
  for (int i = 0; i < ranks; ++i) {
    buffers.push_back({base + displacements[i] * description.extent, counts[i], &description});
  }
  return buffers;
}

// Whether there may be memory at all of these: at MPI_BOTTOM with displacements there is.
template <typename Count, typename Displacement>
bool have_memory(const void* address, const Count* counts, const Displacement* displacements,
                 MPI_Datatype type, int ranks) {
  if (is_plain(address)) [[likely]]
    return true;
  return address != MPI_IN_PLACE &&
         std::ranges::all_of(listed_buffers(address, counts, displacements, type, ranks),
                             has_memory_for_block);
}

// What the counts of all ranks come to.
struct Counted {
  std::int64_t sum = 0;  // -1: one is negative, or there are none
  std::int64_t longest = 0;
};
template <typename CountOf>
Counted counted(const CountOf& count_of, int ranks) {
  Counted all;
  for (int i = 0; i < ranks; ++i) {
    const std::int64_t count = count_of(i);
    if (count < 0) return {-1, 0};
    all.sum += count;
    all.longest = std::max(all.longest, count);
  }
  return all;
}

// How many elements are a rank's: by an array, or the same number for all; negative if there is no
// array.
template <typename Count>
struct Listed {
  const Count* counts;
  std::int64_t operator()(int rank) const { return counts == nullptr ? -1 : counts[rank]; }
};
template <typename Count>
struct Alike {
  Count count;
  std::int64_t operator()(int /*rank*/) const { return count; }
};

// allgather and alltoall: from every rank every rank receives a block of one length. `elsewhere`:
// on what is no intracommunicator.
template <typename Native, typename Begin, typename Run, typename Elsewhere>
int receive_from_all(Collective collective, const void* sent, std::int64_t sent_count,
                     MPI_Datatype sent_type, void* received, std::int64_t received_count,
                     MPI_Datatype received_type, MPI_Comm comm, const Native& call,
                     const Begin& begin, const Run& run, const Elsewhere& elsewhere) {
  CommunicatorState* state = call.state(comm);
  if (state == nullptr) return elsewhere();
  const bool in_place = sent == MPI_IN_PLACE;
  if (!is_buffer(received_count, received_type) ||
      (!in_place && !is_buffer(sent_count, sent_type))) {
    return call.pass_on();
  }
  const Buffer to = buffer(received, received_count, received_type);
  const Buffer from = sent_buffer(sent, sent_count, sent_type);
  if (!has_memory(to) || (!in_place && !has_memory(from))) return call.pass_on();
  if (!one_buffer_is_in_place && collective == Collective::alltoall && sent == received &&
      sent_type == received_type && sent_count == received_count && to.bytes() > 0) {
    return call.pass_on();
  }
  const std::int64_t bytes = to.bytes() * state->comm.size();
  Decision& decision = state->decide(collective, bytes);
  const int ranks = state->comm.size();
  const int sent_blocks = collective == Collective::alltoall ? ranks : 1;
  return carry_out(
      *state, decision, bytes, call,
      [&](Plan& plan, auto& copies) {
        return begin(plan, state->comm, copies.read(from, sent_blocks),
                     copies.written(to, in_place, ranks));
      },
      [&](Plan& plan, auto& copies) {
        return run(plan, state->comm, copies.read(from, sent_blocks),
                   copies.written(to, in_place, ranks));
      });
}

}  // namespace roundelay::preload
