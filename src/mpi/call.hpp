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
  // Data is moved, in units of bytes.
  Call(Plan& plan, Communicator& comm) : Call(plan, comm, describe(MPI_BYTE)) {}
  // Data is combined, in units of elements.
  Call(Plan& plan, Communicator& comm, const Operation& operation)
      : Call(plan, comm, *operation.type) {
    memory.op = operation.op;
    problem.commutative = operation.commutative;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { executor_.release(); }

  Problem problem;
  Memory memory;

  // Room for `count` elements of the call's type, as the address of the first.
  std::byte* room(std::int64_t count) {
    const Datatype& type = memory.type;
    const std::int64_t span = type.span(count);
    if (!little_is_used_ && span <= static_cast<std::int64_t>(little_.size())) {
      little_is_used_ = true;
      return little_.data() - type.lowest(count);
    }
    return executor_.scratch().get(span) - type.lowest(count);
  }
  std::byte* bytes(std::int64_t count) { return executor_.scratch().get(count); }
  void set(Space space, const void* address) {
    memory.base[static_cast<std::size_t>(space)] = const_cast<std::byte*>(
        static_cast<const std::byte*>(address));  // schedules do not write input
  }

  // `m`: the length of the whole message in units, `longest`: of its longest block, where blocks
  // are not even.
  int run(std::int64_t m, std::int64_t longest = -1) {
    const Shape shape{
        memory.type.size,     m, problem.root, problem.input, problem.data, problem.blocks.whole(),
        problem.given.whole()};
    if (!plan_.tape.holds(shape) || waiting() != Waiting::spin) return run_schedule(shape, longest);
    if (plan_.tape.scratch() > 0) set(Space::scratch, room(plan_.tape.scratch()));
    return executor_.play(plan_.tape, memory, own());
  }
  // Between two groups: p ranks send to q. The same number for the same direction on all ranks.
  [[nodiscard]] Schedule prepared(int p, int q, std::int64_t m, std::int64_t longest,
                                  std::size_t direction = 0) {
    problem.network = plan_.network().in_units_of(memory.type.size);
    const Dimensions of{.p = p,
                        .m = static_cast<double>(m),
                        .longest = static_cast<double>(longest),
                        .network = problem.network,
                        .q = q,
                        .topology = problem.topology};
    const std::int64_t needed = plan_.choice->algorithm->room != nullptr
                                    ? plan_.choice->algorithm->room(problem)
                                    : plan_.scratch(of, direction);
    problem.scratch = Slice(Space::scratch, 0, needed);
    if (needed > 0) set(Space::scratch, room(needed));
    return plan_.choice->schedule(problem);
  }
  int run_one_way(int p, int q, std::int64_t m, std::int64_t longest) {
    Schedule schedule = prepared(p, q, m, longest);
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
  Call(Plan& plan, Communicator& comm, const Datatype& unit) : plan_(plan), comm_(comm) {
    problem.group = Group(comm.rank(), comm.size());
    problem.choice = plan.choice.get();
    problem.memo = &comm.memo();
    problem.topology = &comm.topology();
    memory.type = unit;
  }

  [[gnu::noinline]] int run_schedule(const Shape& shape, std::int64_t longest) {
    Schedule schedule = prepared(comm_.size(), 0, shape.m, longest);
    Tape* tape = nullptr;
    if (problem.blocks.is_even() && problem.given.is_even()) {
      tape = &plan_.tape;
      tape->start(shape, problem.scratch.length());
    }
    return executor_.run(schedule, memory, own(), plan_.choice->discipline, tape);
  }

  static Executor& of_this_thread() {
    static thread_local Executor one;
    return one;
  }

  Plan& plan_;
  Communicator& comm_;
  Executor& executor_ = of_this_thread();
  // Short messages need no memory from elsewhere.
  alignas(64) std::array<std::byte, 128> little_;
  bool little_is_used_ = false;
};

// Moves one buffer's data to another, of another type perhaps.
int move_data(Call& call, const Buffer& to, const Buffer& from);

}  // namespace roundelay::mpi
