// SPDX-License-Identifier: Apache-2.0
#include "mpi/pending.hpp"

#include <memory>
#include <mutex>
#include <utility>

#include "mpi/messages.hpp"
#include "mpi/pending_calls.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/self_communicator.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

// Where a message takes less than what completes a request, it is worth a few looks: a call that is
// over when it has started needs no message to complete its request.
bool is_soon_over(const Communicator& comm, Running& running, std::int64_t bytes,
                  int& error) noexcept {
  constexpr std::int64_t few_bytes = 4096;
  constexpr int few_looks = 8;
  const SharedMemory* shared = comm.shared();
  const bool worth_it = bytes <= few_bytes && waiting() == Waiting::spin && shared != nullptr &&
                        shared->reaches_all();
  for (int looks = worth_it ? few_looks : 1; looks > 0; --looks) {
    if (go_on(running, error)) return true;
  }
  return false;
}

int begin(Communicator& comm, Running& running, KeptArguments& arguments, std::int64_t bytes,
          MPI_Request& request) {
  const MPI_Comm self = SelfCommunicator::get();
  if (self == MPI_COMM_NULL) return MPI_ERR_NO_MEM;
  const std::uint64_t number = comm.tags().pending();
  const int tags = comm.tags().pending_next();
  int error = MPI_SUCCESS;
  const bool over = is_soon_over(comm, running, bytes, error);
  comm.tags().take_none_next();  // there may have been no memory for the call
  if (over) {
    return error != MPI_SUCCESS ? error : begin_receive({}, {MPI_PROC_NULL, 0, self}, request);
  }
  auto call = std::make_unique<PendingCall>(comm, tags, std::move(arguments));
  call->number = number;
  call->running.emplace(std::move(running));
  error = begin_receive({}, call->its_end(), request);
  if (error == MPI_SUCCESS) PendingCalls::add(*call.release());
  return error;
}

}  // namespace

int start(Communicator& comm, Running running, KeptArguments arguments, std::int64_t bytes,
          MPI_Request& request) {
  if (!hook_into_progress(PendingCalls::step)) return MPI_ERR_NO_MEM;
  PendingCall* over = nullptr;
  int error = MPI_SUCCESS;
  wait_until(comm.everybody(), [&] {
    if (!PendingCalls::may_start(comm)) return false;
    over = PendingCalls::take_over();
    error = begin(comm, running, arguments, bytes, request);
    return true;
  });
  PendingCalls::destroy(over);
  return error;
}

void free_kept_arguments() noexcept {
  if (!PendingCalls::any_over() || !turn.try_lock()) return;
  PendingCall* const over = PendingCalls::take_over();
  turn.unlock();
  PendingCalls::destroy(over);
}

bool progress(Communicator& comm, Running& running) {
  if (!comm.any_pending()) return running.progress();
  const std::lock_guard has_turn(turn);
  return running.progress();
}

int finish(Communicator& comm, Running& running) {
  if (!comm.any_pending()) return running.wait();
  wait_until(comm.everybody(), [&] { return running.progress(); });
  return running.wait();
}

}  // namespace roundelay::mpi
