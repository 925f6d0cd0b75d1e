// SPDX-License-Identifier: Apache-2.0
// One call of a collective: its problem, its memory and the executor of this thread.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "mpi/collectives.hpp"
#include "mpi/executor.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

class Call {
 public:
  // Data is moved, in units of bytes. Calls that run at once share an executor.
  Call(Executor& executor, Plan& plan, Communicator& comm)
      : Call(executor, plan, comm, describe(MPI_BYTE)) {}
  // Data is combined, in units of elements.
  Call(Executor& executor, Plan& plan, Communicator& comm, const Operation& operation)
      : Call(executor, plan, comm, *operation.type) {
    memory.op = operation.op;
    problem.commutative = operation.commutative;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() = default;

  Problem problem;
  Memory memory;

  // Room for `count` elements of the call's type, as the address of the first.
  std::byte* room(std::int64_t count) {
    const Datatype& type = memory.type;
    return executor_.memory(type.span(count)) - type.lowest(count);
  }
  std::byte* bytes(std::int64_t count) { return executor_.memory(count); }
  void set(Space space, const void* address) {
    memory.base[static_cast<std::size_t>(space)] = const_cast<std::byte*>(
        static_cast<const std::byte*>(address));  // schedules do not write input
  }

  // `m`: the length of the whole message in units.
  int run(std::int64_t m) {
    const Shape shape = shape_of(m);
    if (!plan_.tape.holds(shape) || waiting() != Waiting::spin) return run_schedule(shape);
    if (plan_.tape.scratch() > 0) set(Space::scratch, room(plan_.tape.scratch()));
    return executor_.play(plan_.tape, memory, own());
  }
  // Between two groups: the same number for the same direction on all ranks.
  [[nodiscard]] Schedule prepared(std::int64_t m, std::size_t direction = 0) {
    return prepared(shape_of(m), direction).schedule;
  }
  int run_one_way(std::int64_t m) {
    Schedule schedule = prepared(m);
    return executor_.run(schedule, memory, own(), plan_.choice->discipline);
  }
  // Runs two prepared schedules at once.
  int run_both(std::array<Schedule, 2>& schedules, const std::array<const Memory*, 2>& memories) {
    return executor_.run_both(schedules, memories, own(), plan_.choice->discipline);
  }
  // Runs another schedule than the plan's.
  int run_early(Schedule schedule, const Memory& its_memory) {
    return executor_.run(schedule, its_memory, own(), Discipline::early);
  }
  [[nodiscard]] MPI_Comm own() { return comm_.own(); }

 private:
  Call(Executor& executor, Plan& plan, Communicator& comm, const Datatype& unit)
      : executor_(executor), plan_(plan), comm_(comm) {
    problem.group = Group(comm.rank(), comm.size());
    problem.choice = plan.choice.get();
    problem.memo = &comm.memo();
    problem.topology = &comm.topology();
    memory.type = unit;
  }

  [[nodiscard]] Shape shape_of(std::int64_t m) const {
    return {
        memory.type.size,     m, problem.root, problem.input, problem.data, problem.blocks.whole(),
        problem.given.whole()};
  }

  struct Prepared {
    Schedule schedule;
    Units scratch;  // that was allocated
  };
  [[nodiscard]] Prepared prepared(const Shape& shape, std::size_t direction) {
    problem.network = plan_.network().in_units_of(memory.type.size);
    const Units needed = plan_.scratch(problem, shape, direction);
    if (needed > 0) set(Space::scratch, room(needed));
    return {plan_.choice->schedule(problem), needed};
  }

  [[gnu::noinline]] int run_schedule(const Shape& shape) {
    auto [schedule, scratch] = prepared(shape, 0);
    Tape* tape = nullptr;
    if (problem.blocks.is_even() && problem.given.is_even()) {
      tape = &plan_.tape;
      tape->start(shape, scratch);
    }
    return executor_.run(schedule, memory, own(), plan_.choice->discipline, tape);
  }

  Executor& executor_;
  Plan& plan_;
  Communicator& comm_;
};

// Moves one buffer's data to another, of another type perhaps.
int move_data(Call& call, const Buffer& to, const Buffer& from);

}  // namespace roundelay::mpi
