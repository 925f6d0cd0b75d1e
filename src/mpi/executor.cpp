// SPDX-License-Identifier: Apache-2.0
#include "mpi/executor.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

constexpr int tag = 1;
constexpr int other_tag = 3;

// Of ExecutorOfThread::put_aside.
constinit std::mutex putting_aside;

}  // namespace

// Gives up what is in flight if it is left by an exception or an error.
class Executor::Attempt {
 public:
  explicit Attempt(Executor& executor) noexcept : executor_(executor) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    if (!succeeded_) executor_.give_up();
  }
  int ends_with(int error) noexcept {
    succeeded_ = error == MPI_SUCCESS;
    return error;
  }

 private:
  Executor& executor_;
  bool succeeded_ = false;
};

int Executor::run(Schedule& schedule, const Memory& memory, MPI_Comm comm, Discipline discipline,
                  Tape* tape) {
  Attempt attempt(*this);
  transport_.use(comm, {&memory, tag});
  bool more = schedule.next();
  if (discipline == Discipline::early && waiting() == Waiting::spin) {
    const int error = run_short_rounds(schedule, more, memory, tape);
    if (error != MPI_SUCCESS || !more) return attempt.ends_with(error);
  }
  flows_.front().begin(schedule, more, transport_, discipline);
  return attempt.ends_with(run_to_the_end(std::span(flows_).first(1)));
}

int Executor::run_short_rounds(Schedule& schedule, bool& more, const Memory& memory, Tape* tape) {
  Beat beat;
  // Nothing is deferred yet: what fences wait for has happened.
  while (more && is_short(schedule.round(), memory, beat)) {
    const auto steps = schedule.round().steps;
    if (tape != nullptr) tape->add(beat, steps);
    if (const int error = transport_.exchange(beat); error != MPI_SUCCESS) return error;
    for (const LocalStep* step : steps) {
      const int error = transport_.step(*step, Channel::first);
      if (error != MPI_SUCCESS) return error;
    }
    more = schedule.next();
  }
  if (!more && tape != nullptr) tape->close();
  return MPI_SUCCESS;
}

int Executor::play(const Tape& tape, const Memory& memory, MPI_Comm comm) {
  Attempt attempt(*this);
  transport_.use(comm, {&memory, tag});
  std::size_t next = 0;
  for (const Beat& beat : tape.beats()) {
    if (const int error = transport_.exchange(beat); error != MPI_SUCCESS) return error;
    for (; next < beat.steps; ++next) {
      const int error = transport_.step(tape.step(next), Channel::first);
      if (error != MPI_SUCCESS) return error;
    }
  }
  return attempt.ends_with(MPI_SUCCESS);
}

int Executor::run_both(std::array<Schedule, 2>& schedules,
                       const std::array<const Memory*, 2>& memories, MPI_Comm comm,
                       Discipline discipline) {
  Attempt attempt(*this);
  transport_.use(comm, {memories[0], tag});
  transport_.use_second({memories[1], other_tag});
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    const bool more = schedules[i].next();
    flows_[i].begin(schedules[i], more, transport_, discipline);
  }
  return attempt.ends_with(run_to_the_end(flows_));
}

int Executor::run_to_the_end(std::span<Flow> flows) {
  int error = advance(flows);
  while (error == MPI_SUCCESS && !std::ranges::all_of(flows, &Flow::over)) {
    error = wait_for_progress(flows);
    if (error == MPI_SUCCESS) error = advance(flows);
  }
  if (error == MPI_SUCCESS) {
    for (Flow& flow : flows) flow.end();
  }
  return error;
}

int Executor::advance(std::span<Flow> flows) {
  for (Flow& flow : flows) {
    if (const int error = flow.advance(); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Executor::wait_for_progress(std::span<Flow> flows) {
  awaited_.clear();
  std::size_t going_on = 0;
  bool all = true;
  for (Flow& flow : flows) {
    if (flow.over()) continue;
    ++going_on;
    all = flow.add_awaited(awaited_) && all;
  }
  return transport_.wait(awaited_, all && going_on == 1 ? Until::all : Until::one);
}

bool Executor::is_short(const Round& round, const Memory& memory, Beat& beat) noexcept {
  beat = {};
  for (const Transfer* transfer : round.transfers) {
    int& peer = transfer->sends() ? beat.to : beat.from;
    if (transfer->due != this_round || peer != Beat::nobody || transfer->data.size() > 1 ||
        transfer->data.length() * memory.type.size > short_message) {
      return false;
    }
    if (!transfer->happens()) continue;
    peer = transfer->peer;
    if (!transfer->data.empty()) {
      (transfer->sends() ? beat.sent : beat.received) = *transfer->data.begin();
    }
  }
  return true;
}

void Executor::free_buffers() noexcept {
  scratch_.reset();
  transport_.forget_staging();
}

void Executor::give_up() noexcept {
  transport_.abandon();
  for (Flow& flow : flows_) flow.end();
  failed_ = true;
}

ExecutorOfThread::Spare::~Spare() {
  while (first != nullptr) delete std::exchange(first, first->next_);
}

Executor* ExecutorOfThread::another() {
  sweep();
  return spare_.first != nullptr ? spare_.first : new Executor();
}

// Whether it can be used again: otherwise it is put aside.
bool ExecutorOfThread::mend() noexcept {
  if (executor_->transport_.all_is_over()) {
    executor_->failed_ = false;
    return true;
  }
  const std::lock_guard lock(putting_aside);
  executor_->next_ = put_aside.load(std::memory_order_relaxed);
  put_aside.store(executor_, std::memory_order_relaxed);
  return false;
}

std::size_t ExecutorOfThread::sweep() noexcept {
  const std::lock_guard lock(putting_aside);
  Executor* left = nullptr;
  std::size_t count = 0;
  for (Executor* one = put_aside.load(std::memory_order_relaxed); one != nullptr;) {
    Executor* next = one->next_;
    if (one->transport_.all_is_over()) {
      delete one;
    } else {
      one->next_ = std::exchange(left, one);
      ++count;
    }
    one = next;
  }
  put_aside.store(left, std::memory_order_relaxed);
  return count;
}

}  // namespace roundelay::mpi
