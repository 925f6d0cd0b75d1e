// SPDX-License-Identifier: Apache-2.0
#include "mpi/executor.hpp"

#include <algorithm>

#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

constexpr int tag = 1;
constexpr int other_tag = 3;

}  // namespace

int Executor::run(Schedule& schedule, const Memory& memory, MPI_Comm comm, Discipline discipline,
                  Tape* tape) {
  bool more = schedule.next();
  Flow& flow = flows_.front();
  if (discipline == Discipline::early && waiting() == Waiting::spin) {
    Beat beat;
    // Nothing is deferred yet: what fences wait for has happened.
    while (more && is_short(schedule.round(), memory, beat)) {
      const auto steps = schedule.round().steps;
      if (tape != nullptr) tape->add(beat, steps);
      if (const int error = exchange(beat, memory, comm); error != MPI_SUCCESS) return error;
      for (const LocalStep* step : steps) {
        if (const int error = do_step(*step, memory, comm); error != MPI_SUCCESS) return error;
      }
      more = schedule.next();
    }
    if (!more && tape != nullptr) tape->close();
  }
  if (!more) return MPI_SUCCESS;
  flow.begin(schedule, more, memory, comm, tag, discipline);
  return run_to_the_end(std::span(flows_).first(1));
}

int Executor::play(const Tape& tape, const Memory& memory, MPI_Comm comm) {
  std::size_t next = 0;
  for (const Beat& beat : tape.beats()) {
    if (const int error = exchange(beat, memory, comm); error != MPI_SUCCESS) return error;
    for (; next < beat.steps; ++next) {
      if (const int error = do_step(tape.step(next), memory, comm); error != MPI_SUCCESS) {
        return error;
      }
    }
  }
  return MPI_SUCCESS;
}

int Executor::run_both(std::array<Schedule, 2>& schedules,
                       const std::array<const Memory*, 2>& memories, MPI_Comm comm,
                       Discipline discipline) {
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    const bool more = schedules[i].next();
    flows_[i].begin(schedules[i], more, *memories[i], comm, i == 0 ? tag : other_tag, discipline);
  }
  return run_to_the_end(flows_);
}

int Executor::run_to_the_end(std::span<Flow> flows) {
  int error = advance(flows);
  while (error == MPI_SUCCESS && !std::ranges::all_of(flows, &Flow::over)) {
    error = wait_for_progress(flows);
    if (error == MPI_SUCCESS) error = advance(flows);
  }
  if (error == MPI_SUCCESS) error = wait_for_all();
  if (error != MPI_SUCCESS) abandon();
  for (Flow& flow : flows) flow.end();
  return error;
}

int Executor::advance(std::span<Flow> flows) {
  for (Flow& flow : flows) {
    if (const int error = flow.advance(); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
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

int Executor::exchange(const Beat& beat, const Memory& memory, MPI_Comm comm) {
  const MPI_Datatype type = memory.type.handle;
  const auto count = [](Slice of) { return static_cast<int>(of.length()); };
  const auto receive = [&] {
    return PMPI_Recv(memory.at(beat.received), count(beat.received), type, beat.from, tag, comm,
                     MPI_STATUS_IGNORE);
  };
  if (beat.to == Beat::nobody) return beat.from == Beat::nobody ? MPI_SUCCESS : receive();
  std::byte* address = memory.at(beat.sent);
  if (beat.from == Beat::nobody) {
    return PMPI_Send(address, count(beat.sent), type, beat.to, tag, comm);
  }
  // Short messages leave at once, so that all waiting is in the receive: faster than MPI_Sendrecv.
  MPI_Request sending = MPI_REQUEST_NULL;
  const int refused = PMPI_Isend(address, count(beat.sent), type, beat.to, tag, comm, &sending);
  if (refused != MPI_SUCCESS) return refused;
  const int error = receive();
  const int sent_error = PMPI_Wait(&sending, MPI_STATUS_IGNORE);
  return error != MPI_SUCCESS ? error : sent_error;
}

// With nothing else in flight and nothing that could start meanwhile, all may be waited for.
int Executor::wait_for_progress(std::span<const Flow> flows) {
  auto& [requests, owners] = in_flight_;
  if (flows.size() == 1 && flows.front().waits_for_all()) return wait_for_all();
  const int error = wait_some(requests, completed_);
  if (error != MPI_SUCCESS) return error;
  for (const int index : completed_) {
    const auto [flow, move] = owners[static_cast<std::size_t>(index)];
    flow->complete(*move);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (owners[i].move->done) continue;
    requests[kept] = requests[i];
    owners[kept++] = owners[i];
  }
  requests.resize(kept);
  owners.resize(kept);
  return MPI_SUCCESS;
}

int Executor::wait_for_all() {
  auto& [requests, owners] = in_flight_;
  if (requests.empty()) return MPI_SUCCESS;
  if (const int error = wait_all(requests); error != MPI_SUCCESS) return error;
  for (const auto [flow, move] : owners) flow->complete(*move);
  requests.clear();
  owners.clear();
  return MPI_SUCCESS;
}

void Executor::free_buffers() noexcept {
  scratch_.reset();
  for (Flow& flow : flows_) flow.release();
}

void Executor::abandon() {
  auto& [requests, owners] = in_flight_;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (!owners[i].move->transfer.sends()) {
      PMPI_Cancel(&requests[i]);
      PMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    } else {
      PMPI_Request_free(&requests[i]);
    }
  }
  requests.clear();
  owners.clear();
}

}  // namespace roundelay::mpi
