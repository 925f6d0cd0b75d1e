// SPDX-License-Identifier: Apache-2.0
// One call of a collective: its problem, its memory and its executor.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "mpi/collectives.hpp"
#include "mpi/executor_of_thread.hpp"
#include "mpi/running.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

class Call {
 public:
  // Data is moved, in units of bytes.
  Call(Executor& executor, Plan& plan, Communicator& comm)
      : Call(executor, plan, comm, describe(MPI_BYTE)) {}
  // Data is combined, in units of elements.
  Call(Executor& executor, Plan& plan, Communicator& comm, const Operation& operation)
      : Call(executor, plan, comm, *operation.type) {
    memory.op = operation.op;
    memory.loop = operation.type->loops->of(operation.op);
    problem.commutative = operation.commutative;
  }
  Call& operator=(const Call&) = delete;
  ~Call() = default;

  // The other half of a call that has two, which run at once and share executor and tags. Before
  // this half is given its problem.
  [[nodiscard]] Call other_half() const { return *this; }

  Problem problem;
  Memory memory;

  // Room for `count` elements of the call's type, as the address of the first.
  std::byte* room(std::int64_t count) {
    const Datatype& type = memory.type;
    return executor_.memory(type.span(count)) - type.lowest(count);
  }
  std::byte* bytes(std::int64_t count) { return executor_.memory(count); }
  // The same, until it is asked for again.
  std::byte* bytes_for_now(std::int64_t count) {
    if (count > for_now_.size) for_now_ = {bytes(count), count};
    return for_now_.memory;
  }
  void set(Space space, const void* address) {
    memory.base[static_cast<std::size_t>(space)] = const_cast<std::byte*>(
        static_cast<const std::byte*>(address));  // schedules do not write input
  }

  // Work to be awaited by a Running: the plan's schedule.
  struct Whole {
    Call& call;
    std::int64_t m;  // the length of the whole message in units

    [[nodiscard]] Executor& executor() const { return call.executor_; }
    [[nodiscard]] int run() const { return call.run_whole(m); }
    [[nodiscard]] int start() const { return call.start_whole(m); }
  };
  [[nodiscard]] Whole run(std::int64_t m) { return {*this, m}; }

  // Another schedule than the plan's, for a few bytes, before the plan's is run.
  struct Preliminary {
    Call& call;
    Schedule& schedule;
    const Memory& memory;

    [[nodiscard]] Executor& executor() const { return call.executor_; }
    [[nodiscard]] int run() const {
      return executor().run({std::move(schedule), &memory}, call.messages_, Discipline::early);
    }
    [[nodiscard]] int start() const {
      ScheduledPart part{std::move(schedule), &memory};
      return executor().start({&part, 1}, call.messages_, Discipline::early);
    }
  };
  [[nodiscard]] Preliminary run_early(Schedule& schedule, const Memory& its_memory) {
    return {*this, schedule, its_memory};
  }

  // Between two groups: the same number for the same direction on all ranks.
  [[nodiscard]] ScheduledPart prepared(std::int64_t m, std::size_t direction) {
    if (!std::exchange(is_prepared_, true)) prepare(shape_of(m), direction);
    return {plan_.choice->schedule(problem), &memory};
  }
  // Starts one prepared schedule or two.
  int start(std::span<ScheduledPart> parts) {
    return executor_.start(parts, messages_, plan_.choice->discipline);
  }
  [[nodiscard]] Executor& executor() const noexcept { return executor_; }

 private:
  Call(const Call&) = default;
  Call(Executor& executor, Plan& plan, Communicator& comm, const Datatype& unit)
      : executor_(executor),
        plan_(plan),
        messages_{comm.everybody(), comm.tags().of_next_call(plan.choice->algorithm->collective),
                  comm.shared(), comm.put()} {
    problem.group = Group(comm.rank(), comm.size());
    problem.choice = plan.choice.get();
    problem.memo = &comm.memo();
    if (problem.choice->algorithm->uses_topology()) problem.topology = &comm.topology();
    memory.type = unit;
  }

  [[nodiscard]] Shape shape_of(std::int64_t m) const {
    return {
        memory.type.size,     m, problem.root, problem.input, problem.data, problem.blocks.whole(),
        problem.given.whole()};
  }

  // Whether calls of one shape and with the same blocks are alike: nothing is told by other ranks.
  [[nodiscard]] bool may_be_alike() const noexcept {
    return problem.rows.empty() && problem.passing.empty();
  }

  // Returns the units of scratch memory that were allocated.
  Units prepare(const Shape& shape, std::size_t direction) {
    problem.network = plan_.network().in_units_of(memory.type.size);
    const Units needed = plan_.scratch(problem, shape, direction);
    take_scratch(needed);
    return needed;
  }
  void take_scratch(Units units) {
    if (units > 0) set(Space::scratch, room(units));
  }

  int run_whole(std::int64_t m) {
    const Shape shape = shape_of(m);
    const ShortRecording& recording = plan_.short_recordings.of(shape);
    if (!may_be_alike() || !recording.holds(shape, problem) || !may_play(recording)) {
      return run_schedule(m);
    }
    take_scratch(recording.scratch());
    return executor_.play(recording, memory, messages_);
  }
  [[nodiscard]] bool may_play(const ShortRecording& recording) const noexcept {
    return recording.wide() ? Executor::may_exchange_many(messages_)
                            : Executor::may_exchange(messages_);
  }
  [[gnu::noinline]] int run_schedule(std::int64_t m) {
    const Shape shape = shape_of(m);
    const Units scratch = prepare(shape, 0);
    ShortRecording* recording = nullptr;
    if (may_be_alike()) {
      recording = &plan_.short_recordings.free_for(shape);
      recording->start(shape, problem, scratch);
    }
    return executor_.run({plan_.choice->schedule(problem), &memory}, messages_,
                         plan_.choice->discipline, recording);
  }
  [[gnu::noinline]] int start_whole(std::int64_t m) {
    if (plan_.recording == nullptr) return start_once(shape_of(m));
    if (!std::exchange(is_prepared_, true)) {
      const Shape shape = shape_of(m);
      return record_and_start(shape, prepare(shape, 0));
    }
    return plan_.short_recording.closed() ? executor_.start_again(plan_.short_recording)
                                          : start_recorded();
  }
  int start_once(const Shape& shape) {
    const bool may_have_recording = may_be_alike() && plan_.choice->discipline == Discipline::early;
    if (may_have_recording && plan_.short_recordings.of(shape).holds(shape, problem)) {
      const ShortRecording& recording = plan_.short_recordings.of(shape);
      take_scratch(recording.scratch());
      return executor_.start_copy(recording, memory, messages_);
    }
    const Units scratch = prepare(shape, 0);
    if (may_have_recording && !plan_.short_recordings.of(shape).did_not_hold(shape, problem)) {
      ShortRecording& recording = plan_.short_recordings.free_for(shape);
      record(shape, scratch, problem, recording);
      if (recording.closed()) return executor_.start_copy(recording, memory, messages_);
    }
    ScheduledPart part{plan_.choice->schedule(problem), &memory};
    return start({&part, 1});
  }
  void record(const Shape& shape, Units scratch, const Problem& cut_as, ShortRecording& recording) {
    recording.start(shape, cut_as, scratch);
    Schedule schedule = plan_.choice->schedule(problem);
    executor_.record(schedule, memory, messages_, recording);
  }
  int record_and_start(const Shape& shape, Units scratch) {
    if (plan_.choice->discipline == Discipline::early) {
      record(shape, scratch, {}, plan_.short_recording);  // which is of one problem
    }
    if (plan_.short_recording.closed()) {
      return executor_.start(plan_.short_recording, memory, messages_);
    }
    plan_.recording->record(plan_.choice->schedule(problem));
    return start_recorded();
  }
  int start_recorded() {
    return executor_.start(*plan_.recording, memory, messages_, plan_.choice->discipline);
  }

  Executor& executor_;
  Plan& plan_;
  Messages messages_;
  bool is_prepared_ = false;  // also for more runs of the same call
  struct {
    std::byte* memory = nullptr;
    std::int64_t size = 0;
  } for_now_;
};

// Of a schedule that moves the numbers themselves, in units of bytes.
[[nodiscard]] inline Memory memory_of_bytes(std::span<const Units> input, std::span<Units> output) {
  Memory memory{.base = {}, .type = describe(MPI_BYTE), .op = MPI_OP_NULL};
  memory.base[static_cast<std::size_t>(Space::input)] =
      reinterpret_cast<std::byte*>(const_cast<Units*>(input.data()));  // input is not written
  memory.base[static_cast<std::size_t>(Space::output)] =
      reinterpret_cast<std::byte*>(output.data());
  return memory;
}

// A collective of one schedule is an object: made of a call and arguments it gives the call its
// problem, and has
//   int prepare();          what is to be done before, e.g. packing; returns an MPI error code
//   std::int64_t m() const; the length of the whole message in units
//   int finish();           what is to be done after; returns an MPI error code
//
// In progress it is in the frame of a coroutine, otherwise on the stack. `unit`: the operation, if
// data is combined.
template <typename Collective, typename... Unit, typename... Arguments>
Running begin_with(Plan& plan, Communicator& comm, std::tuple<Unit...> unit,
                   Arguments... arguments) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm, std::get<Unit>(unit)...);
  Collective collective(call, arguments...);
  int error = MPI_SUCCESS;
  do {
    error = collective.prepare();
    if (error == MPI_SUCCESS) error = co_await call.run(collective.m());
    if (error == MPI_SUCCESS) error = collective.finish();
  } while (co_await again(error));
  co_return error;
}
template <typename Collective, typename... Unit, typename... Arguments>
[[gnu::always_inline]] inline int run_with(Plan& plan, Communicator& comm,
                                           const std::tuple<Unit...>& unit,
                                           const Arguments&... arguments) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm, std::get<Unit>(unit)...);
  Collective collective(call, arguments...);
  int error = collective.prepare();
  if (error == MPI_SUCCESS) error = call.run(collective.m()).run();
  return error != MPI_SUCCESS ? error : collective.finish();
}

// Moves one buffer's data to another, of another type perhaps.
int move_data(Call& call, const Buffer& to, const Buffer& from);

}  // namespace roundelay::mpi
